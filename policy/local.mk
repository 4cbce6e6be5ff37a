# policy/: nothing yet.
