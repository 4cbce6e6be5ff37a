# Tests of policy/: nothing yet.
