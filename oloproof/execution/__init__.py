"""One case inside a worker: reset, call, snapshot, patch, redaction, and the evidence of it."""
