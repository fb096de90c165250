"""Children that work on parts of a task."""
