"""One kind of transform a file, named as the field of the suite that declares it."""
