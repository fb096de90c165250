"""Solutions of MiniWoB++ tasks that use the browser tools alone, and why some tasks have none."""
