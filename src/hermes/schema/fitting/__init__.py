"""What fitting arguments takes: reading near-JSON, bending values, wording problems."""
