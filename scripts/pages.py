"""Put example files and the source tree into the pages that show them.

A page says `<!-- file: docs_src/x.py -->` or `<!-- tree -->` on the line before a code block,
which need not be there yet. Without arguments the blocks are written anew; with --check the pages
that differ are named.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "hermes"
BLOCK = re.compile(r"<!-- (?:file: (\S+)|tree) -->(?:\n+```\w*\n(?:(?!```).*\n)*```)?$", re.M)
LANGUAGES = {
    ".py": "python",
    ".out": "text",
    ".console": "console",
    ".yaml": "yaml",
    ".json": "json",
}
WIDTH = 20


def pages(root: Path = ROOT) -> list[Path]:
    """Return every page that people write; the reference is generated elsewhere."""
    found = [root / "README.md", root / "CONTRIBUTING.md", root / "examples" / "README.md"]
    folders = (path for path in (root / "docs").rglob("*.md") if "reference" not in path.parts)
    return [path for path in (*found, *sorted(folders)) if path.exists()]


def filled(page: str, root: Path = ROOT) -> str:
    """Return a page's text with every marked block as its file or the tree has it."""

    def block(match: re.Match[str]) -> str:
        name = match[1]
        if name is None:
            return f"<!-- tree -->\n\n```text\n{tree(root)}```"
        path = root / name
        text = path.read_text(encoding="utf-8")
        return f"<!-- file: {name} -->\n\n```{LANGUAGES[path.suffix]}\n{text}```"

    return BLOCK.sub(block, page)


def tree(root: Path = ROOT) -> str:
    """Return the source tree, top layer first, with the first sentence of each folder."""
    lines = ["src/hermes/"]
    for folder in _in_order(root):
        for path in [folder, *sorted(child.parent for child in folder.glob("*/__init__.py"))]:
            depth = len(path.relative_to(root / "src" / "hermes").parts)
            lines.append(f"{'  ' * depth + path.name + '/':<{WIDTH}}{_purpose(path)}")
    return "".join(f"{line}\n" for line in lines)


def _in_order(root: Path) -> Iterator[Path]:
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    for name in re.findall(r"\w+", " ".join(layers)):
        folder = root / "src" / "hermes" / name
        if (folder / "__init__.py").exists():
            yield folder


def _purpose(folder: Path) -> str:
    doc = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    first = " ".join(doc.split("\n\n")[0].split()).replace("``", "")
    return first.removesuffix(".")


def main(arguments: list[str]) -> int:
    """Write the pages anew, or with --check only say which differ."""
    different = []
    for path in pages():
        text = path.read_text(encoding="utf-8")
        if (new := filled(text)) != text:
            different.append(path.relative_to(ROOT))
            if "--check" not in arguments:
                path.write_text(new, encoding="utf-8")
    for path in different:
        print(f"{path} {'is out of date' if '--check' in arguments else 'written'}")
    if different and "--check" in arguments:
        print("Run: .venv/bin/python scripts/pages.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
