"""Tool calls that models write as text: read from what they say, and told to them as such."""
