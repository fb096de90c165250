"""The pages are true: blocks are files, names exist, tables agree with the code, links lead on."""

from __future__ import annotations

import dataclasses
import enum
import json
import re
import typing
from datetime import date, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from hermes.runtime.entry import ToolEntry
from hermes.runtime.hooks import POINTS
from hermes.schema.formats import FORMATS
from hermes.schema.signature import describe
from hermes.tools import Field
from hermes.tools.presets import PRESETS

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^(?:<!-- (.*) -->\n\n)?```(\w*)\n", re.M)
MUST_BE_FILES = {"python", "console", "yaml"}
MARK = re.compile(r"<!-- file: (\S+) -->")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Movie(typing.TypedDict):
    title: str
    year: typing.NotRequired[int]


def text_of(name):
    return (DOCS / name).read_text(encoding="utf-8")


def test_every_page_shows_its_files_and_the_tree_as_they_are(pages):
    different = [
        str(path.relative_to(ROOT))
        for path in pages.pages()
        if pages.filled(path.read_text(encoding="utf-8")) != path.read_text(encoding="utf-8")
    ]
    assert different == [], "run: .venv/bin/python scripts/pages.py"


def test_a_block_that_differs_from_its_file_is_put_right(pages, tmp_path):
    (tmp_path / "x.py").write_text("new\n")
    page = "<!-- file: x.py -->\n\n```python\nold\n```\n\nbetween\n\n```sh\nkept\n```\n"
    assert pages.filled(page, tmp_path) == page.replace("old", "new")


def test_a_mark_without_a_block_gets_one(pages, tmp_path):
    (tmp_path / "x.py").write_text("new\n")
    page = "<!-- file: x.py -->\n\nbetween\n"
    shown = "<!-- file: x.py -->\n\n```python\nnew\n```\n\nbetween\n"
    assert pages.filled(page, tmp_path) == shown


def test_the_tree_names_every_folder_of_the_source(pages):
    folders = {path.parent.name for path in (ROOT / "src" / "hermes").glob("*/__init__.py")}
    folders |= {path.parent.name for path in (ROOT / "src" / "hermes").glob("*/*/__init__.py")}
    shown = [line.split() for line in pages.tree().splitlines()[1:]]
    assert {words[0].removesuffix("/") for words in shown} == folders
    assert all(len(words) > 1 for words in shown)


def test_what_can_run_on_a_page_is_a_file_that_the_tests_run(pages):
    loose = [
        (path.name, language)
        for path in pages.pages()
        for mark, language in BLOCK.findall(path.read_text(encoding="utf-8"))
        if language in MUST_BE_FILES and not mark.startswith("file: ") and mark != "part of a file"
    ]
    assert loose == []


def test_every_example_file_is_shown_on_a_page(pages):
    shown = {
        name for path in pages.pages() for name in MARK.findall(path.read_text(encoding="utf-8"))
    }
    files = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "docs_src").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert files - shown == set()


def test_every_command_on_a_page_exists(pages):
    known = set(re.findall(r"^#+ (hermes .*)$", text_of("reference/cli.md"), re.M))
    groups = {name.split()[1] for name in known}
    named = {
        (path.name, " ".join(match.split()))
        for path in pages.pages()
        for match in re.findall(
            r"(?:^|`|/)(hermes (?:[a-z]+)(?: [a-z]+)?)", path.read_text(encoding="utf-8"), re.M
        )
    }
    wrong = [
        (page, command)
        for page, command in named
        if command.split()[1] in groups
        and command not in known
        and " ".join(command.split()[:2]) not in known
    ]
    assert wrong == []


def test_every_setting_on_a_page_exists(pages):
    reference = text_of("reference/config.md")
    known = set(re.findall(r"^\| `([a-z_.]+)`", reference, re.M))
    sections = {name.split(".")[0] for name in known}
    named = {
        (path.name, key)
        for path in pages.pages()
        for key in re.findall(r"`([a-z]+\.[a-z_]+)[`:]", path.read_text(encoding="utf-8"))
        if key.split(".")[0] in sections and not key.endswith((".py", ".yaml", ".judges", ".sock"))
    }
    assert [item for item in named if item[1] not in known] == []


def test_every_path_that_the_architecture_names_exists():
    page = text_of("ARCHITECTURE.md")
    table = page[page.index("## Where do I find") : page.index("## Speed")]
    missing = []
    for row in table.splitlines():
        folder = ROOT / "src" / "hermes"
        base = folder
        for name in re.findall(r"`([\w./<>-]+(?:\.py|/|/venv))`", row):
            if "<" in name or name.startswith("tests/"):
                continue
            here = [root / name for root in (folder, base, ROOT)]
            found = next((path for path in here if path.exists()), None)
            if found is None:
                missing.append(name)
            elif found.suffix == ".py":
                base = found.parent
    assert missing == []


def test_every_folder_and_module_of_the_runtime_is_named_in_the_architecture():
    page = text_of("ARCHITECTURE.md")
    modules = {path.name for path in (ROOT / "src" / "hermes" / "runtime").glob("*.py")}
    assert {name for name in modules - {"__init__.py"} if name not in page} == set()


def table_of(page, heading):
    """Return the rows of the first table after a heading, as lists of cells."""
    after = page[page.index(heading) :]
    rows = re.search(r"(?:^\|.*\n)+", after, re.M)[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


@pytest.mark.parametrize(
    ("annotation", "schema"),
    table_of(text_of("declaring-tools.md"), "### Types"),
    ids=lambda cell: cell[:30],
)
def test_a_type_has_the_schema_that_its_row_says(annotation, schema):
    names = {**vars(typing), "Field": Field, "Path": Path, "UUID": UUID}
    names |= {"date": date, "datetime": datetime, "timedelta": timedelta}
    names |= {"Colour": Colour, "Point": Point, "Movie": Movie}

    def function(x):
        """Do nothing."""

    function.__annotations__ = {"x": eval(annotation.strip("`"), names)}
    assert describe(function).parameters["properties"]["x"] == json.loads(schema.strip("`"))


def test_the_options_of_tool_are_all_there():
    rows = table_of(text_of("declaring-tools.md"), "`@tool` takes these options")
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row[0])}
    traits = set(ToolEntry._fields) - {"load", "spec", "is_async", "raw"}
    assert told == traits | {"description", "registry", "override"}


def test_every_code_that_the_pipeline_answers_is_explained():
    told = {row[0].strip("`") for row in table_of(text_of("calling-tools.md"), "## Errors")}
    found = set()
    for path in (ROOT / "src" / "hermes" / "runtime").glob("*.py"):
        source = path.read_text(encoding="utf-8")
        found |= set(re.findall(r'code="([a-z_]+)"', source))
        found |= set(re.findall(r'"code":"([a-z_]+)"', source))
    found |= set(
        re.findall(r'code="([a-z_]+)"', (ROOT / "src/hermes/schema/repair.py").read_text())
    )
    found |= set(
        re.findall(r'    code = "([a-z_]+)"', (ROOT / "src/hermes/base/errors.py").read_text())
    )
    assert found - told == {"error", "config_error", "stopped"}
    assert told - found == set()


def test_every_hook_point_is_explained_with_what_it_is_given():
    rows = table_of(text_of("calling-tools.md"), "## Hooks")
    assert {row[0].strip("`") for row in rows} == set(POINTS)
    first = next(row for row in rows if "pre_tool_call" in row[0])
    assert tuple(re.findall(r"`(\w+)`", first[1])) == POINTS["pre_tool_call"]


def test_every_format_is_shown():
    shown = (ROOT / "docs_src" / "calling" / "definitions.out").read_text(encoding="utf-8")
    assert re.findall(r"^# (\S+)$", shown, re.M) == list(FORMATS)


def test_every_page_can_be_reached_from_the_index():
    index = text_of("index.md")
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    pages -= {"index.md", *(name for name in pages if name.startswith("design/"))}
    assert {name for name in pages if f"({name})" not in index} == set()
    notes = {path.name for path in (DOCS / "design").glob("*.md")} - {"README.md"}
    assert {name for name in notes if f"({name})" not in text_of("design/README.md")} == set()


def test_every_anchor_leads_to_a_heading(pages):
    wrong = []
    for path in pages.pages():
        page = path.read_text(encoding="utf-8")
        for name, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", page):
            if not name.startswith("http"):
                target = path.parent / name if name else path
                if anchor not in anchors(target.read_text(encoding="utf-8")):
                    wrong.append((path.name, f"{name}#{anchor}"))
    assert wrong == []


def anchors(page):
    """Return the anchors that a forge gives to the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", page, flags=re.S | re.M), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_presets_that_the_pages_name_exist():
    named = set(re.findall(r"`(hermes-[a-z]+)`", text_of("toolsets.md")))
    assert named <= {preset.name for preset in PRESETS}
