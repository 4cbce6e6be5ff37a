# gate/: nothing yet.
