"""The control channel of one QEMU: the machine's own protocol (QMP, JSON lines on a Unix socket), as much as the tests use."""
import json, socket, time


class Refused(Exception):
    """QEMU's own answer to a command it did not carry out."""


class Qmp:
    def __init__(self, path, patience=20):
        """Connects to `path`, which QEMU makes soon after it starts; gives up after `patience` seconds."""
        self.socket = socket.socket(socket.AF_UNIX)
        end = time.monotonic() + patience
        while True:
            try:
                self.socket.connect(path)
                break
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        self.socket.settimeout(patience)
        self.lines = self.socket.makefile("rw")
        self.events = [json.loads(self.lines.readline())]  # the greeting
        self("qmp_capabilities")

    def __call__(self, command, **arguments):
        """The answer to one command; events that arrive before it are kept in `events`."""
        self.lines.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.lines.flush()
        while line := self.lines.readline():
            answer = json.loads(line)
            if "error" in answer:
                raise Refused(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]
            self.events.append(answer)
        raise ConnectionError(f"QEMU went away during {command}")

    def close(self):
        self.lines.close()
        self.socket.close()
