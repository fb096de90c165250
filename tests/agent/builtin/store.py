"""A small shop as it is kept in practice: sources, tests, logs of some length, data, scripts."""

import json

_CART = """import logging
from shop.models import Item


class Cart:
    # TODO: discounts
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def total(self):
        return sum(i.price for i in self.items)

    def checkout(self):
        logging.info("checkout")
        raise NotImplementedError
"""
_MODELS = """from dataclasses import dataclass


@dataclass
class Item:
    name: str
    price: float


def get_user(user_id):
    # FIXME: slow query
    return {"id": user_id}


def calculate_total(items):
    return sum(i.price for i in items)
"""
_MAIN = """from shop.cart import Cart


def main():
    print("total", Cart().total())
"""
_SCRIPTS = {"build": "echo built", "start": "node web/app.js"}
FILES = {
    "README.md": "# Shop\n\nA small shop.\n\n## Install\n\n## Usage\n",
    "pyproject.toml": "[project]\nname = 'shop'\nversion = '1.2.0'\n",
    "package.json": json.dumps({"name": "shop", "version": "0.3.1", "scripts": _SCRIPTS}, indent=1),
    ".env": "DEBUG=1\nPORT=8000\n",
    "Makefile": "build:\n\techo building\n",
    "Dockerfile": "FROM python:3.12\n",
    "requirements.txt": "requests==2.31\nflask>=3\n",
    "config.yaml": "debug: true\nport: 8080\nhost: localhost\n",
    "config.old.yaml": "debug: false\nport: 80\nhost: localhost\n",
    "src/shop/__init__.py": "",
    "src/shop/cart.py": _CART + "# filler\n" * 60,
    "src/shop/models.py": _MODELS,
    "src/shop/main.py": _MAIN,
    "src/shop/db.py": "import sqlite3\n\nDB_URL = 'x'\n\n\ndef connect():\n    pass  # TODO pool\n",
    "src/shop/old.bak": "z",
    "src/b.tmp": "y",
    "a.tmp": "x",
    "todo.txt": "new\n",
    "web/app.js": "console.log('hi');\n// TODO: tidy\n",
    "web/index.html": "<h1>Shop</h1>\n",
    "web/style.css": "body{color:red}\n",
    "tests/test_cart.py": "def test_empty():\n    pass\n",
    "tests/test_models.py": "from shop.models import calculate_total\n",
    "logs/app.log": "INFO request ok\n" * 300 + "ERROR database timeout\n",
    "logs/error.log": "ERROR failed job\n" * 40,
    "logs/old/access.log": "GET /p 200\n" * 2_000,
    "data/users.csv": "id,name\n" + "1,bo\n" * 50,
    "data/config.json": '{"debug": true}\n',
    "data/orders.json": "[]\n",
    "data/notes.txt": "buy milk\ncall bob\nship release\n",
    "data/big.bin": "0" * 300_000,
    "docs/guide.md": "# Guide\n\n## Start\n\n## Deploy\n",
    "docs/api.md": "# API\n\n## get_user\n",
    "scripts/deploy.sh": "#!/bin/sh\necho deploying\n",
    "scripts/hello.py": "print('hello world')\n",
    "backup.zip": "",
}
