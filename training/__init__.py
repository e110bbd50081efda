"""Training, export and the command line."""
