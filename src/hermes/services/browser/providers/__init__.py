"""Where browsers come from, one file each."""
