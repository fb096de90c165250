"""Change parts of files: by a text and what takes its place, or by a patch in any usual form."""
