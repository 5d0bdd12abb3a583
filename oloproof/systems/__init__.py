"""How a system is reached, one way a file."""
