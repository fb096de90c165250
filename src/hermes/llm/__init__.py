"""One question to a model: what is asked, what comes back, and who can be asked."""
