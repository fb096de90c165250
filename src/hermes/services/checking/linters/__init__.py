"""The linters, each with what it says brought into one form."""
