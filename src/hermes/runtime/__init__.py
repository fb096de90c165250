"""How a tool is declared, found, offered, judged and called."""
