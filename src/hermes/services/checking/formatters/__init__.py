"""The formatters, each with what it says brought into one form."""
