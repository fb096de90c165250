"""Programs that hold a session where its task runs; they know nothing of hermes."""
