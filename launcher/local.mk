# launcher/: wraps any command in the boundary.
include %reldir%/egress.mk
