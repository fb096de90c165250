"""The loop: ask the model, run what it asks for, repeat."""
