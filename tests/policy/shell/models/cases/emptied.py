"""Commands that leave a file of work empty, and those that only look as if they did."""

DANGEROUS = [
    ("perl -0pi -e 's/.*//s' src/app.py", "delete"),
    ("perl -ni -e '' src/app.py", "delete"),
    ("ruby -i -ne '' src/app.py", "delete"),
    ("awk -i inplace '0' src/app.py", "delete"),
    ("tee f </dev/null", "delete"),
    ("cat /dev/null | tee src/app.py", "delete"),
    ("sponge src/app.py </dev/null", "delete"),
    ("dd if=/dev/urandom of=data.db bs=1M count=10 conv=notrunc", "delete"),
    ("cp -rf ../template/. .", "delete"),
    ("rsync -a ../template/ .", "delete"),
    ("yes > /dev/null &", "service"),
    ('printf "$OPENAI_API_KEY" > /tmp/k', "exfiltration"),
]
HARMLESS = [
    "perl -0pi -e 's/a.*?b//s' src/app.py",
    "perl -ni -e 'print unless /x/' src/app.py",
    "ruby -i -pe '$_.upcase!' src/app.py",
    "awk -i inplace '{print $1}' src/app.py",
    "tee app.log </dev/null",
    "> test.log",
    "dd if=/dev/zero of=test.img bs=1M count=10",
    "cp -rn ../template/. .",
    "cp -r ../template/config config",
    "yes | head -3",
    'echo "$OPENAI_API_KEY" > /dev/null',
]
