"""What a shell command means: parsed, interpreted, and told as effects."""
