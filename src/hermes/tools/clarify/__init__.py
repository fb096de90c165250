"""Questions to the person that an agent works for."""
