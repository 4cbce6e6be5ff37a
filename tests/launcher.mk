# Tests of launcher/: nothing yet.
