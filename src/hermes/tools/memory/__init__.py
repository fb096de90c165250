"""What an agent remembers between sessions."""
