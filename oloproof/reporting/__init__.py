"""What was found, shown: the screens of the terminal and the JSON behind `--json`."""
