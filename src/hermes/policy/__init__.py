"""May this be done? Pure judgement."""
