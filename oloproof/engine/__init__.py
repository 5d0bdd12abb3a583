"""One run from its dataset to its rows: groups are planned, executed, judged and counted."""
