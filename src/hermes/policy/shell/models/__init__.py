"""What programs do, as data: one file per family."""
