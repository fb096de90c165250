"""Drive a real browser: pages as text with refs, and actions on them."""
