"""Show a page in few words: what can be acted on, and the text around it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from hermes.services.browser.aria import Node

INTERACTIVE = frozenset({
    "link", "button", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "option",
    "slider", "spinbutton", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio",
    "treeitem", "scrollbar",
})  # fmt: skip
_BLOCKS = frozenset({
    "paragraph", "listitem", "row", "heading", "article", "section", "region", "navigation",
    "banner", "main", "contentinfo", "complementary", "form", "search", "list", "table", "grid",
    "rowgroup", "dialog", "alertdialog", "alert", "status", "tablist", "menu", "menubar", "toolbar",
    "radiogroup", "group", "blockquote", "code", "figure", "iframe", "tree", "tabpanel", "term",
    "definition", "separator", "generic", "log", "feed", "document", "application", "caption",
})  # fmt: skip
_NAMED = {"dialog": "dialog", "alertdialog": "dialog", "alert": "alert", "status": "status",
          "navigation": "nav", "iframe": "frame", "tabpanel": "panel", "form": "form",
          "search": "search", "region": "region"}  # fmt: skip
_STATES = ("checked", "selected", "expanded", "pressed", "disabled", "invalid")
_FIELDS = frozenset({"textbox", "searchbox", "spinbutton", "slider", "combobox", "listbox"})
_LABELLED = _FIELDS | {"checkbox", "radio", "switch"}
_MOST_OPTIONS = 40
_LONGEST_TEXT = 400
_LONG_LINE = 100
_LONGEST_NAME = 120
_PART = re.compile(r"(?=(?<!\S)@(?:f\d+)?e\d+ )")


def lines_of(nodes: Sequence[Node]) -> list[str]:
    """Return a page as lines: one for each block, things to act on with their refs."""
    lines: list[str] = []
    for node in nodes:
        _add(node, lines, 0, is_inside=False)
    return [line for line in lines if line.strip()]


def _add(node: Node, lines: list[str], depth: int, *, is_inside: bool) -> None:
    """Put what a node shows behind the last line, or on lines of its own."""
    role = node.role
    if role.startswith("/"):
        return
    if role in INTERACTIVE and role != "option":
        _put(lines, _acted_on(node), depth)
        if role in ("tab", "treeitem", "menuitem"):
            _add_all(node, lines, depth, is_inside=True)
    elif role in ("img", "image"):
        if node.name:
            _put(lines, f"(image {_short(node.name, _LONGEST_NAME)})", depth)
        if any(each.role in INTERACTIVE or _is_clickable(each) for each in _below(node)):
            _add_all(node, lines, depth, is_inside=is_inside)
    else:
        is_block = role in _BLOCKS
        if is_block:
            _begin(node, lines, depth)
        _add_content(node, lines, depth, is_inside=is_inside)
        if is_block and lines and lines[-1].strip():
            lines.append("")


def _add_content(node: Node, lines: list[str], depth: int, *, is_inside: bool) -> None:
    if _is_clickable(node) and not is_inside:
        _put(lines, _acted_on(node, "clickable"), depth)
        _add_all(node, lines, depth, is_inside=True, skips_text=True)
        return
    role = node.role
    if role == "heading":
        _put(lines, f"{'#' * int(node.attributes.get('level') or 2)} {_words(node)}", depth)
    elif role in ("cell", "gridcell", "columnheader", "rowheader"):
        _put(lines, "|", depth)
    shown = node.text or ("" if node.children else node.name)
    if shown and role != "heading":
        _put(lines, _short(shown, _LONGEST_TEXT), depth)
    _add_all(node, lines, depth + (role in ("listitem", "iframe")), is_inside=is_inside,
             skips_text=role == "heading")  # fmt: skip


def _add_all(
    node: Node, lines: list[str], depth: int, *, is_inside: bool, skips_text: bool = False
) -> None:
    is_labelled = any(each.role in _LABELLED and each.name for each in node.children)
    for child in _unlabelled(node.children) if is_labelled else node.children:
        if skips_text and child.role == "text":
            continue
        _add(child, lines, depth, is_inside=is_inside)


def _unlabelled(nodes: list[Node]) -> Iterator[Node]:
    """Yield what is more than the name of the field beside it, which says that itself."""
    for before, node, after in zip([None, *nodes], nodes, [*nodes[1:], None], strict=False):
        if not (_is_label(node, before) or _is_label(node, after)):
            yield node


def _is_label(node: Node, neighbour: Node | None) -> bool:
    return (
        neighbour is not None
        and neighbour.role in _LABELLED
        and node.role in ("text", "generic")
        and bool(neighbour.name)
        and node.text == neighbour.name
        and not node.children
        and not _is_clickable(node)
    )


def _begin(node: Node, lines: list[str], depth: int) -> None:
    if lines and lines[-1].strip():
        lines.append("")
    title = _NAMED.get(node.role)
    if title and (node.name or node.role in ("dialog", "alertdialog", "alert", "iframe")):
        _put(
            lines, f"[{title}{f': {_short(node.name, _LONGEST_NAME)}' if node.name else ''}]", depth
        )
        lines.append("")
    if node.role == "listitem":
        _put(lines, "-", depth)


def _put(lines: list[str], text: str, depth: int) -> None:
    """Put a text behind the last line; a long one is ended, as changes are told by line."""
    if lines and lines[-1].strip() and len(lines[-1]) < _LONG_LINE:
        lines[-1] += f" {text}"
        return
    if lines and not lines[-1].strip():
        lines.pop()
    lines.append(f"{'  ' * min(depth, 6)}{text}")


def _acted_on(node: Node, role: str = "") -> str:
    """Return one thing that can be acted on: ref, role, name, value and states."""
    name = node.name or ("" if node.role in _FIELDS else _words(node))
    value = _value(node)
    text = f"@{node.ref} {role or node.role}" if node.ref else (role or node.role)
    if name:
        text += f' "{_short(name, _LONGEST_NAME)}"'
    if value and value != name:
        text += f' = "{_short(value, _LONGEST_TEXT)}"'
    elif not name and (hint := node.property("placeholder")):
        text += f" ({_short(hint, _LONGEST_NAME)})"
    if states := _states(node):
        text += f" [{', '.join(states)}]"
    if options := [each for each in _below(node) if each.role == "option"]:
        shown = " | ".join(map(_option, options[:_MOST_OPTIONS]))
        more = f" | … {len(options) - _MOST_OPTIONS} more" if len(options) > _MOST_OPTIONS else ""
        text += f" ({shown}{more})"
    return text


def _option(node: Node) -> str:
    said = _short(node.name or node.text, 60)
    return f"{said} [disabled]" if _is_on(node, "disabled") else said


def _states(node: Node) -> list[str]:
    """Return what is so of an element; half is said as half."""
    on = [state for state in _STATES if _is_on(node, state)]
    return ["mixed" if node.attributes[state] == "mixed" else state for state in on]


def _value(node: Node) -> str:
    if node.role in ("combobox", "listbox"):
        chosen = [each.name for each in _below(node) if "selected" in each.attributes]
        if chosen:
            return ", ".join(chosen)
    if node.role in _FIELDS and node.role != "listbox":
        below = [each for each in _below(node) if not each.role.startswith(("/", "option"))]
        return node.text or " ".join(
            each.text or each.name for each in below if each.text or each.name
        )
    return ""


def _is_on(node: Node, state: str) -> bool:
    given = node.attributes.get(state)
    return given is not None and given != "false"


def _is_clickable(node: Node) -> bool:
    return bool(node.ref) and node.attributes.get("cursor") == "pointer"


def _below(node: Node) -> Iterator[Node]:
    for child in node.children:
        yield child
        yield from _below(child)


def _words(node: Node) -> str:
    if node.name or node.text:
        return node.name or node.text
    return " ".join(
        each.text or each.name for each in _below(node) if (each.text or each.name)
        and not each.role.startswith("/")
    )  # fmt: skip


def _short(text: str, most: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def changes(before: Sequence[str], after: Sequence[str]) -> list[str] | None:
    """Return what changed between two views, as lines with + and -; None when most of it did."""
    if list(before) == list(after):
        return []
    found: list[str] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if len(before) * len(after) > 4_000_000:
        return None
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag != "equal":
            found += _parts_changed(before[start:end], after[first:last])
    size = sum(map(len, found))
    return found if size < 0.6 * sum(map(len, after)) else None


def _parts_changed(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return what changed between lines, by the things that can be acted on in them."""
    old = [part.strip() for line in before for part in _PART.split(line) if part.strip()]
    new = [part.strip() for line in after for part in _PART.split(line) if part.strip()]
    found: list[str] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag != "equal":
            found += [f"- {part}" for part in old[start:end]]
            found += [f"+ {part}" for part in new[first:last]]
    return found
