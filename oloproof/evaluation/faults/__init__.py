"""What a faulted replay shows of an agent."""
