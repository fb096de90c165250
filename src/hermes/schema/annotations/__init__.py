"""Python annotations become JSON Schema, and JSON values become what they annotate."""
