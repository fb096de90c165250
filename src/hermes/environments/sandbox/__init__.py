"""The boundary around every process that a tool starts, kept by the operating system."""
