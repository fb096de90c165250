"""Run commands in a shell that remembers, and follow those in the background."""
