"""The driver itself: what it leaves behind when it is killed."""
import os, signal, subprocess, sys, time, unittest

import harness

DRIVER = """
import lab
lab.enter()
machines = lab.Lab(2)
machines.machines[0].power_on()
with open("/proc/self/status") as f:  # its process ids, from the outermost namespace to its own
    print(machines.folder, next(line for line in f if line.startswith("NSpid:")).split()[-2], flush=True)
import time; time.sleep(600)
"""


class Driver(unittest.TestCase):
    def test_a_killed_driver_leaves_nothing_running(self):
        env = {k: v for k, v in os.environ.items() if k != "DIAG_VM_INSIDE"} | {"PYTHONPATH": os.pathsep.join(sys.path)}
        for whom in ("outside", "inside"):
            with self.subTest(killed=whom):
                driver = subprocess.Popen([sys.executable, "-c", DRIVER], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                folder, inside = driver.stdout.readline().split()
                running = harness.processes_with(folder)
                self.assertEqual(len(running), 1, "one machine runs")
                os.kill(driver.pid if whom == "outside" else int(inside), signal.SIGKILL)
                driver.wait()
                driver.stdout.close()
                end = time.monotonic() + 10
                while harness.processes_with(folder) and time.monotonic() < end:
                    time.sleep(0.1)
                self.assertEqual(harness.processes_with(folder), [])
