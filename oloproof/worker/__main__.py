"""`python -m oloproof.worker JOBS REPLIES PARENT ASIDE…`: a worker process on its descriptors."""

from __future__ import annotations

import gc
import sys

if __name__ == "__main__":
    gc.disable()  # importing makes much and leaves nothing to collect
    from oloproof.worker.serving import serve_and_exit

    serve_and_exit(*map(int, sys.argv[1:]))
