# Tests of runner/: nothing yet.
