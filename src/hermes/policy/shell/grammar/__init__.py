"""The grammar of the shell: text becomes nodes."""
