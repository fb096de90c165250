"""A list of what is to be done, for work of several steps."""
