"""Oracles of tasks about lists, menus, sliders, calendars and other widgets."""

from __future__ import annotations

import re
import time

COLORS = {"black": "000000", "white": "FFFFFF", "aqua": "00FFFF", "blue": "0000FF",
          "gray": "808080", "green": "008000", "lime": "00FF00", "maroon": "800000",
          "navy": "000080", "olive": "808000", "purple": "800080", "red": "FF0000",
          "silver": "C0C0C0", "teal": "008080", "yellow": "FFFF00", "pink": "FFC0CB",
          "magenta": "FF00FF", "gold": "FFD700", "orange": "FFA500"}  # fmt: skip
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
          "October", "November", "December")  # fmt: skip


def choose(hands, page):
    wanted = re.search(r"Select (.*) from", page.goal)[1]
    hands.type(page.one("combobox"), wanted)
    hands.submit()


def choose_several(hands, page):
    wanted = re.search(r"Select (.*) from", page.goal)[1]
    hands.type(page.one("listbox"), wanted.replace(", ", "|"))
    hands.submit()


def menu(hands, page):
    *path, leaf = re.search(r"Select (.*)", page.goal)[1].split(">")
    for name in path:
        hands.press(f"hover {hands.look().one('menuitem', name=name)}")
        _until(hands, leaf if name == path[-1] else path[path.index(name) + 1])
    hands.click(hands.look().one("menuitem", name=leaf))


def _until(hands, name):
    return hands.until(lambda: hands.look().all("menuitem", name=name))[0].ref


def menu_button(hands, page):
    hands.click(page.one("button", name="Menu"))
    wanted = page.quoted[-1]
    if wanted in ("Prev", "Stop", "Play", "Next"):
        hands.press(f"hover {_until(hands, 'Playback')}")
    hands.click(_until(hands, wanted))


def spinner(hands, page):
    wanted = int(re.search(r"Select (-?\d+)", page.goal)[1])
    up, down = (each.ref for each in page.all("button")[:2])
    for _ in range(abs(wanted)):
        hands.click(up if wanted > 0 else down)
    hands.submit()


def slider(hands, page):
    _slide(hands, int(re.search(r"Select (-?\d+)", page.goal)[1]), 0)
    hands.submit()


def three_sliders(hands, page):
    for number, wanted in enumerate(re.search(r"\[(.*)\]", page.goal)[1].split(",")):
        _slide(hands, int(wanted), number)
    hands.submit()


def _slide(hands, wanted, number):
    """Move a handle with the keys as far as the number beside it is away."""
    for _ in range(3):
        page = hands.look()
        now = int([line for line in page.lines[1:] if re.fullmatch(r"-?\d+", line)][number])
        if now == wanted:
            return
        handle = [each for each in page.all("button") if "slider" in each.name][number]
        hands.press(f"focus {handle.ref}")
        hands.press(" ".join(["ArrowRight" if wanted > now else "ArrowLeft"] * abs(wanted - now)))
    raise AssertionError("the slider does not move")


def slider_and_box(hands, page):
    _slide(hands, int(re.search(r"Select (-?\d+)", page.goal)[1]), 0)
    nth = int(re.search(r"the (\d)\w\w checkbox", page.goal)[1]) - 1
    page = hands.look()
    hands.click(page.one("checkbox", nth=nth))
    hands.submit()


def radio_and_field(hands, page):
    radio, field = (int(each) - 1 for each in re.findall(r"(\d)(?:st|nd|rd)", page.goal))
    hands.click(page.one("radio", nth=radio))
    hands.type(page.one("textbox", nth=field), page.quoted[0])
    hands.submit()


def dropdown_and_button(hands, page):
    wanted = re.search(r"Choose (.*) from", page.goal)[1]
    hands.click(page.one("clickable", "button"))
    items = [each for each in hands.look_fully() if each[0] == "listitem" and each[1] == wanted]
    hands.click(items[-1][2])
    hands.click(hands.look().one("button", name=page.quoted[0]))


def autocomplete(hands, page):
    first, *last = page.quoted
    hands.type(page.one("textbox"), first)
    _pick(hands, lambda name: name.startswith(first) and name.endswith("".join(last)))
    hands.submit()


def _pick(hands, fits):
    """Choose the last of what is offered under a field and fits."""

    def found():
        shown = hands.look_fully()
        fields = ("textbox", "combobox")
        return [ref for role, name, ref in shown if role not in fields and name and fits(name)]

    hands.click(hands.until(found)[-1])


def calendar(hands, page):
    month, day, year = map(int, re.search(r"(\d+)/(\d+)/(\d+)", page.goal).groups())
    hands.click(page.one("textbox"))
    pick_day(hands, year, month, day)
    hands.submit()


def pick_day(hands, year, month, day):
    """Go to the month that is wanted and click the day."""
    for _ in range(40):
        page = hands.look()
        now = re.search(rf"({'|'.join(MONTHS)}) (\d{{4}})", page.text)
        ahead = (year - int(now[2])) * 12 + month - 1 - MONTHS.index(now[1])
        if ahead == 0:
            hands.click(page.one("link", name=str(day)))
            return
        name = "Next" if ahead > 0 else "Prev"
        hands.click(next(each.ref for each in page.items if each.name.startswith(name)))
    raise AssertionError("the month is never shown")


def flight(hands, page):
    aim, place, goal, month, day, year = re.search(
        r"Book the (\w+) one-way flight from: (.*) to: (.*) on (\d+)/(\d+)/(\d+)", page.goal
    ).groups()
    for label, text in (("From:", place), ("To:", goal)):
        hands.type(hands.look().one("textbox", name=label), text)
        _pick(hands, lambda name, text=text: name.startswith(text) or f"({text})" in name)
    hands.click(hands.look().all("textbox")[2].ref)
    pick_day(hands, int(year), int(month), int(day))
    hands.click(hands.look().one("button", name="Search"))
    hands.until(lambda: re.search(r"\d+h \d+m", hands.look().text))
    page = hands.look()
    rows = [each for each in page.all("button") if "$" in each.name]
    prices = [int(re.search(r"\$(\d+)", each.name)[1]) for each in rows]
    times = [int(h) * 60 + int(m) for h, m in re.findall(r"(\d+)h (\d+)m", page.text)]
    costs = prices if aim == "cheapest" else times
    hands.click(rows[costs.index(min(costs))].ref)


def pie(hands, page):
    wanted = page.quoted[0]
    hands.click(page.one("button", name="+"))
    ref = hands.until(lambda: [ref for _, name, ref in hands.look_fully() if name == wanted])[-1]
    hands.until(lambda: "error" not in hands.call("browser_click", ref=ref, may_fail=True))


def color(hands, page):
    wanted = re.search(r"Select (\w+) with", page.goal)[1]
    hands.type(page.one("textbox"), COLORS[wanted])
    hands.submit()


def simon(hands, page):
    """Watch which button is pushed, by its class, until none is for a while; push the same."""
    seen, held, quiet = [], "", time.monotonic() + 2
    while time.monotonic() < quiet:
        names = [each.name for each in hands.look().all("button")]
        pushed = next((each for each in names if "push" in each.split()), "")
        if pushed and pushed != held:
            seen.append(pushed.replace("push", "").strip())
        if pushed:
            quiet = time.monotonic() + 1.2
        held = pushed
    for name in seen:
        hands.click(hands.look().one("button", name=name))


ORACLES = {
    "choose-list": choose, "click-pie": pie, "click-pie-nodelay": pie,
    "use-colorwheel": color, "simon-says": simon, "click-scroll-list": choose_several,
    "click-menu": menu, "click-menu-2": menu_button, "use-spinner": spinner, "use-slider": slider,
    "use-slider-2": three_sliders, "form-sequence": slider_and_box,
    "form-sequence-2": radio_and_field, "form-sequence-3": dropdown_and_button,
    "use-autocomplete": autocomplete, "use-autocomplete-nodelay": autocomplete,
    "choose-date": calendar, "choose-date-easy": calendar, "choose-date-medium": calendar,
    "choose-date-nodelay": calendar, "book-flight": flight, "book-flight-nodelay": flight,
}  # fmt: skip
