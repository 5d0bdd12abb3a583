"""What is checked of a conversation turn by turn: calls, messages, sources, what was replaced."""
