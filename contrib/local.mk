# contrib/: nothing yet.
