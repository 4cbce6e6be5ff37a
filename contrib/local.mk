# contrib/: what helps to integrate; nothing here is needed to build.
EXTRA_DIST += %reldir%/README.md
