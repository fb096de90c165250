"""What inline code of other languages does: Python by its own grammar, others by risky calls."""
