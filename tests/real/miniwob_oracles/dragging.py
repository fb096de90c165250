"""Oracles of tasks that are done by dragging and by selecting text."""

from __future__ import annotations

import re

GRID = ("top left", "top center", "top right", "center left", "center", "center right",
        "bottom left", "bottom center", "bottom right")  # fmt: skip


def into_box(hands, page):
    hands.press(f"drag {page.one('button', name='s')} {page.one('button', name='L')}")
    hands.submit()


def _items(hands):
    return [(name, ref) for role, name, ref in hands.look_fully() if role == "generic" and name]


def in_list(hands, page):
    name, where = re.match(r"Drag ([\w-]+) (.*)\.", page.goal).groups()
    items = [each for each in _items(hands) if re.fullmatch(r"[A-Z][\w-]+", each[0])][:5]
    names = [each[0] for each in items]
    start = names.index(name)
    nth = re.search(r"to the (\d)", where)
    end = (int(nth[1]) - 1 if nth else 0 if "top" in where else 4 if "bottom" in where
           else start + (1 if "down" in where else -1))  # fmt: skip
    hands.press(f"drag {items[start][1]} {items[end][1]} +0 {'+6' if end > start else '-6'}")


def in_grid(hands, page):
    name, where = re.match(r"Drag ([\w-]+) (.*)\.", page.goal).groups()
    items = [each for each in _items(hands) if re.fullmatch(r"[A-Z][\w-]+", each[0])][:9]
    start = [each[0] for each in items].index(name)
    steps = {"up": -3, "down": 3, "left": -1, "right": 1}
    if where.startswith("to the "):
        end = GRID.index(where.removeprefix("to the "))
    else:
        end = start + steps[where.split()[0]]
    hands.press(f"drag {items[start][1]} {items[end][1]} {'+15 +0' if end > start else '-15 +0'}")


def sort_numbers(hands, page):
    for place in range(5):
        rows = [(int(name), ref) for name, ref in _items(hands) if re.fullmatch(r"-?\d+", name)][:5]
        order = sorted(rows)
        now = rows.index(order[place]) if place < len(rows) else place
        if now != place and place < len(rows):
            hands.press(f"drag {rows[now][1]} {rows[place][1]} +0 -6")
    hands.submit()


def circle(hands, page):
    way = re.search(r"Drag the (?:circle|item) (\w+)", page.goal)[1]
    over = {"right": "+30 +0", "left": "-30 +0", "up": "+0 -30", "down": "+0 +30"}[way]
    thing = next(each for each in page.items if each.name != "Submit")
    hands.press(f"drag {thing.ref} {over}")
    hands.submit()


def resize(hands, page):
    handles = {each.name: each.ref for each in page.all("button")}
    size, way = re.search(r"the (\w+) is (\w+) than", page.goal).groups()
    by = "+20" if way == "larger" else "-20"
    handle = next(ref for name, ref in handles.items() if "resizable se" in name)
    hands.press(f"drag {handle} {f'{by} +0' if size == 'width' else f'+0 {by}'}")
    hands.submit()


def highlight(hands, page):
    shown = dict(_items(hands))
    text = next(line for line in page.lines[1:] if "@" not in line)
    hands.press(f"select {shown[text]}")
    hands.submit()


def highlight_nth(hands, page):
    nth = int(re.search(r"the (\d)", page.goal)[1]) - 1
    parts = [ref for role, _, ref in hands.look_fully() if role == "paragraph"]
    hands.press(f"select {parts[nth]}")
    hands.submit()


def style(hands, page):
    editor = next(each for each in page.all("textbox") if each.name)
    word = re.search(r"give the text (\S+) the", page.goal)
    how = re.search(r"(?:style|color) (\w+)", page.goal)[1]
    hands.press(f"select {editor.ref} {word[1]}" if word else f"select {editor.ref}")
    names = {"bold": "ql bold", "italics": "ql italic", "underlined": "ql underline"}
    page = hands.look()
    if how in names:
        hands.click(next(each.ref for each in page.all("button") if names[how] in each.name))
    else:
        hands.click(next(each.ref for each in page.items if "picker label" in each.name))
        colors = {"red": "#e60000", "orange": "#ff9900", "yellow": "#ffff00", "green": "#008a00",
                  "blue": "#0066cc", "purple": "#9933ff"}  # fmt: skip
        page = hands.look()
        hands.click(next(each.ref for each in page.items if colors[how] in each.name))
    hands.submit()


ORACLES = {
    "drag-box": into_box, "drag-items": in_list, "drag-items-grid": in_grid,
    "drag-sort-numbers": sort_numbers, "drag-circle": circle, "drag-single-shape": circle,
    "resize-textarea": resize, "highlight-text": highlight, "highlight-text-2": highlight_nth,
    "text-editor": style,
}  # fmt: skip
