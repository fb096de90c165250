"""Search what was said in earlier conversations."""
