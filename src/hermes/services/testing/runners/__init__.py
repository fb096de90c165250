"""The test runners, each with what it says brought into one form."""
