"""Read, write, patch, search, list, compare, pack and watch files."""
