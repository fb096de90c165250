"""What tools work with."""
