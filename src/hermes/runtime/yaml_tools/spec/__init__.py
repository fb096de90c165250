"""What a tool file says: read key by key, checked, and held as frozen values."""
