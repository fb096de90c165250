"""What pages say, free of what stands around it."""
