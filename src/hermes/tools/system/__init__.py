"""The machine itself: facts, environment variables, clipboard, notifications, waiting."""
