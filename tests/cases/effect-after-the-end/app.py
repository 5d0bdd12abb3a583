import contextvars
import threading
import time

import oloproof


class Desk:
    """Work goes on in a thread; STOP is answered, and not handed on to it."""

    def reset(self, state):
        self.s = state

    def snapshot(self):
        return self.s

    @oloproof.tool
    def write(self, name):
        self.s["files"].append(name)
        return {"ok": True}

    def turn(self, message):
        if message.startswith("Write"):
            ctx = contextvars.copy_context()

            def work():
                for n in range(3):
                    time.sleep(0.15)
                    ctx.run(self.write, f"part-{n}")

            self.t = threading.Thread(target=work)
            self.t.start()
            return "I am on it."
        if message == "STOP.":
            return "Stopped."
        time.sleep(1.0)
        return "Hello."
