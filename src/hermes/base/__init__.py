"""Words everyone shares: errors, messages, JSON, text, files, redaction, optional imports."""
