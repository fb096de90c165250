"""JSON Schema made, checked and bent; pure."""
