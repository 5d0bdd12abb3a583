import itertools
import time

import oloproof

ids = itertools.count(1)


class Desk:
    """A store that stamps rows and numbers them by itself, as a database does."""

    def reset(self, state):
        self.s = state

    def snapshot(self):
        return self.s

    @oloproof.tool(reads=True)
    def look_up(self, order):
        return {"status": self.s["orders"][order]["status"]}

    @oloproof.tool
    def cancel(self, order):
        self.s["orders"][order] = {"status": "cancelled", "updated_at": time.time_ns()}
        self.s["audit"].append({"row": next(ids), "what": "cancel"})
        return {"ok": True}

    @oloproof.tool
    def tell(self, order):
        self.s["mails"].append(order)
        return {"ok": True}

    def __call__(self, order):
        if self.look_up(order)["status"] != "open":
            return {"answer": "no"}
        self.cancel(order)
        for _ in range(2):
            try:
                self.tell(order)
                break
            except Exception:
                pass
        return {"answer": "cancelled"}
