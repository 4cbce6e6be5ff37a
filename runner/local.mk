# runner/: nothing yet.
