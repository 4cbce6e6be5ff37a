# launcher/: nothing yet.
