"""A small project as people have it: a package with tests, docs, logs, tables and scripts."""

_LOG = "".join(f"2024-05-01 10:00:{n} INFO request {n} served\n" for n in range(1, 61))
_CART = """class Cart:
    def __init__(self):
        self.items = []

    def add_item(self, name, price):
        self.items.append((name, price))

    def total(self):
        # FIXME: rounding
        return sum(p for _, p in self.items)
"""
_PRICES = """TAX = 0.2


def with_tax(price):
    # TODO: other countries
    return price * (1 + TAX)


def parse_price(text):
    return float(text)
"""
FILES = {
    "README.md": "# Shop\n\nA small cart.\n\n## Install\n\n## Usage\n\nTODO: write this\n",
    "pyproject.toml": '[project]\nname = "shop"\nversion = "0.3.1"\n',
    "shop/__init__.py": '"""Shop."""\n',
    "shop/cart.py": _CART,
    "shop/prices.py": _PRICES,
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_total():\n    Cart()\n",
    "tests/test_prices.py": "from shop.prices import with_tax\n\n\ndef test_tax():\n    pass\n",
    "docs/install.md": "# Install\n\npip install shop\n",
    "docs/usage.md": "# Usage\n\nshop add apple 3\n",
    "web/app.js": "function render(cart) {\n  // TODO: escape\n  console.log(cart);\n}\n",
    "web/style.css": "body { color: black }\n",
    "logs/app.log": _LOG,
    "logs/error.log": "2024-05-01 ERROR connection refused\n2024-05-01 ERROR timeout after 30s\n",
    "data/sales.csv": "day,amount\nmon,10\ntue,25\nwed,7\n",
    "data/users.csv": "id,name,email\n1,Bo,bo@example.com\n",
    "scripts/backup.sh": "#!/bin/sh\necho backing up\n",
    "scripts/report.py": 'import sys\nprint("hello", sys.argv)\n',
    "requirements.txt": "requests==2.31\nclick>=8\n",
    "config.yaml": "debug: false\nport: 8080\nhost: localhost\n",
    "package.json": '{"name": "shop", "scripts": {"build": "echo built"}}\n',
    "notes.txt": "buy milk\ncall bob\n",
    "old.txt": "old stuff\n",
    "Makefile": "test:\n\tpython -m pytest\n",
    "backup.zip": "",
}
