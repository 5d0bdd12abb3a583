"""The screens of the terminal, one a file: each writes one report onto a `Page`."""
