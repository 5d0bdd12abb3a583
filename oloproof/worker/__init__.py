"""What a worker process runs: it reads jobs, hands them on, and writes out what came of them."""
