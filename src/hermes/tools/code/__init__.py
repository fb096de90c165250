"""Code: scripts that call tools, programs in any language, checks, tests and a debugger."""
