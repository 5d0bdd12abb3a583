"""How recorded states compare with expected ones, and with each other."""
