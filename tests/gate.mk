# Tests of gate/: nothing yet.
