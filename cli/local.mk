# cli/: nothing yet.
