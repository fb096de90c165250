"""Tools to find, read about and call the tools that are not shown at once."""
