"""Programs that tables cannot describe: they change the shell, run others, or hand text on."""
