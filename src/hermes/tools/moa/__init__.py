"""Several models that answer one question together."""
