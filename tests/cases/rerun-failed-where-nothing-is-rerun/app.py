import pathlib


class Desk:
    def __call__(self, m):
        p = pathlib.Path("n.txt")
        n = int(p.read_text()) if p.exists() else 0
        p.write_text(str(n + 1))
        return {"answer": "n" if n == 2 else "y"}
