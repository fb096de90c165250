"""Commands of editors and pagers."""

DANGEROUS = [
    ("vim -c ':!rm -rf ~/work' -c q", "delete"),
    ("vim +'w! /etc/hosts' +q x", "overwrite"),
    ("vim -es -c '%d' -c 'w! ~/.bashrc' -c q x", "persistence"),
    ("vim -es -c '%d' -c wq src/app.py", "delete"),
    ("printf '1,$d\\nw\\nq\\n' | ed -s src/app.py", "delete"),
    ("vim -c 'call system(\"rm -rf ~/work\")' -c q", "delete"),
    ("ex -s /etc/passwd <<< $'g/root/d\\nx'", "persistence"),
    ("ed ~/.profile <<< $'a\\nevil\\n.\\nw'", "persistence"),
    ("emacs --batch --eval '(shell-command \"rm -rf ~/work\")'", "delete"),
    ("emacs --batch --eval '(delete-directory \"~/work\" t)'", "delete"),
    ("code --install-extension evil.ext", "network-exec"),
    ("less '+!rm -rf ~/work' x", "delete"),
    ("man -P 'sh -c id' ls", "obfuscation"),
]

HARMLESS = [
    "vim src/app.py",
    "vim +10 README.md",
    "vim -c 'set nu' x.py",
    "nvim --headless -c 'echo 1' -c q",
    "vim -es -c '%s/a/b/g' -c wq src/app.py",
    "ex -sc '%s/a/b/|x' file.txt",
    "vim -es -c 'g/^$/d' -c wq src/app.py",
    "vim -es -c '%d' -c 'r new.py' -c wq src/app.py",
    "ed -s src/app.py <<< $',d\\na\\nnew\\n.\\nw\\nq'",
    "ed -s file.txt <<< $'1,$s/a/b/\\nw\\nq'",
    "emacs --batch --eval '(message \"hi\")'",
    "emacs --batch file.org -f org-html-export-to-html",
    "nano notes.md",
    "code .",
    "less /var/log/syslog",
    "less +G app.log",
    "man mkfs",
    "man -k shutdown",
]
