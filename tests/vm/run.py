"""Runs the tests of the virtual machines, all in one lab: python3 run.py [test names...].  ./run-tests --vm calls it."""
import os, sys, unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.dirname(HERE))  # harness.py

import image, lab


def main():
    missing = lab.why_not()
    if missing:
        print(f"skipped: {missing}")
        return 0
    lab.enter()
    import cluster
    tests = unittest.defaultTestLoader
    tests.testNamePatterns = [f"*{word}*" for word in sys.argv[1:]] or None
    result = unittest.TextTestRunner(verbosity=2).run(tests.discover(HERE, top_level_dir=HERE))
    if not result.wasSuccessful() and cluster.standing:
        kept = image.CACHE + "/last-failure"
        cluster.standing[0].collect(kept)
        print(f"journals and consoles of the machines are in {kept}", file=sys.stderr)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
