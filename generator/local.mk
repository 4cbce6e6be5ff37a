# generator/: nothing yet.
