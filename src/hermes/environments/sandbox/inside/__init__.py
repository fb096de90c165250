"""What runs in the starter: a small process that forks children and shuts each into its box."""
