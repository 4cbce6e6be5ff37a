# man/: nothing yet.
