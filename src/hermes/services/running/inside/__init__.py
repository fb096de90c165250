"""Programs that go along with code, where that runs; they know nothing of hermes."""
