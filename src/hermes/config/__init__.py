"""Files, environment and flags become one frozen value."""
