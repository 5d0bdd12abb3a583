"""One module a fault: how often the tool runs, and what the agent sees of it."""
