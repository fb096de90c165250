"""Oracles of tasks that are done by clicking."""

from __future__ import annotations

import re
import time

SYNONYMS = """big large huge enormous gigantic|small tiny little mini petite
|red scarlet crimson vermillion|happy cheerful joyful gleeful delighted
|sad unhappy sorrowful miserable tragic|angry mad furious irritated
|evil wicked immoral sinful corrupt depraved|wrong incorrect mistaken erroneous
|real genuine actual|strange odd peculiar unusual weird|stop cease halt end finish
|scared terrified panicked fearful frightened afraid|quiet calm peaceful serene mild
|old aged archaic|love like adore favor|kill murder assassinate
|keep retain preserve sustain maintain|hide conceal camouflage
|hate despise loathe detest dislike|funny humorous amusing comical laughable
|fat fleshy plump chubby|stupid dumb dull unwise|delicious savory delectable appetizing
|cut slice carve chop|brave courageous fearless|begin start initiate launch
|answer reply response|television televisions TV TVs|house home houses homes
|fire flame fires flames|pig pork swine|rabbit rabbits bunny bunnies
|car cars automobile automobiles vehicle vehicles|water"""
POSITIONS = ("1st", "2nd", "3rd")


def only_button(hands, page):
    hands.click(page.one("button"))


def button_one(hands, page):
    hands.click(page.one("button", name=re.search(r"ONE|TWO", page.goal)[0]))


def one_then_two(hands, page):
    hands.click(page.one("button", name="ONE"), page.one("button", name="TWO"))


def one_wait_two(hands, page):
    two = page.one("button", name="TWO")
    hands.click(page.one("button", name="ONE"))
    time.sleep(int(re.search(r"wait (\d+)", page.goal)[1]) - 0.1)
    hands.click(two)


def named_button(hands, page):
    hands.click(page.one("button", name=page.quoted[0]))


def nth_field(hands, page):
    nth = next((n for n, word in enumerate(POSITIONS) if word in page.goal), 0)
    hands.click(page.one("textbox", nth=nth))


def checkboxes(hands, page):
    wanted = re.search(r"Select (.*) and click", page.goal)[1].split(", ")
    for box in page.all("checkbox"):
        if box.name in wanted:
            hands.click(box.ref)
    hands.submit()


def similar_checkboxes(hands, page):
    said = re.search(r"similar to (.*) and click", page.goal)[1].split(", ")
    groups = [group.split() for group in SYNONYMS.split("|")]
    wanted = {word for group in groups if set(said) & set(group) for word in group}
    for box in page.all("checkbox"):
        if box.name in wanted:
            hands.click(box.ref)
    hands.submit()


def option(hands, page):
    hands.click(page.one("radio", name=re.search(r"Select (.*) and click", page.goal)[1]))
    hands.submit()


def widget(hands, page):
    kind = page.quoted[0]
    role = {"text": "textbox", "textarea": "textbox"}.get(kind, kind)
    if role != "textbox":
        hands.click(page.one(role))
        return
    for each in page.all("textbox"):  # only the keys tell one line from several
        hands.press(f"focus {each.ref}")
        hands.press("End x Enter y")
        is_long = "x y" in hands.look().text
        if is_long == (kind == "textarea"):
            hands.click(each.ref)
            return


def expand_and_submit(hands, page):
    hands.click(page.one("tab"))
    hands.submit()


def find_link_in_sections(hands, page):
    wanted = page.quoted[0]
    for tab in [each.ref for each in page.all("tab")]:
        found = hands.look().all("button", name=wanted)
        if not found:
            hands.click(tab)
            found = hands.look().all("button", name=wanted)
        if found:
            hands.click(found[0].ref)
            return
    assert hands.look().all("button", name="START"), f"no {wanted!r} in any section"


def tab(hands, page):
    hands.click(page.one("tab", name=re.search(r"Tab #\d", page.goal)[0]))


def close_dialog(hands, page):
    hands.click(page.one("button", name="Close"))


def dialog_button(hands, page):
    name = page.quoted[0]
    hands.click(page.one("button", name="Close" if name == "x" else name))


def link(hands, page):
    hands.click(page.one("button", name=page.quoted[0]))


def numbers_in_order(hands, page):
    hands.click(page.one("button", name="1"))
    for _ in range(4):  # the numbers are hidden after the first; they keep their order
        hands.click(hands.look().one("button"))


def cards(hands, page):
    best = max(
        page.all("clickable", "button"),
        key=lambda each: int(each.name or -1) if each.name.isdigit() else -1,
    )
    hands.click(best.ref)
    hands.submit()


def grid(hands, page):
    wanted = re.search(r"\((-?\d),(-?\d)\)", page.goal)[0]
    hands.click(next(each.ref for each in page.all("button") if each.name.endswith(wanted)))


def odd_or_even(hands, page):
    lines = [line for line in page.lines if re.fullmatch(r"-?\d+", line)]
    odd, even = page.all("button", name="Odd"), page.all("button", name="Even")
    for number, text in enumerate(lines):
        hands.click((odd if int(text) % 2 else even)[number].ref)
    hands.submit()


def number_boxes(hands, page):
    rows = [row.split() for row in DIGITS[int(page.quoted[0])].split("/")]
    boxes = page.all("checkbox")
    for place, is_on in enumerate("".join(each for row in rows for each in row)):
        if is_on == "1":
            hands.click(boxes[place].ref)
    hands.submit()


DIGITS = (
    "0110/1001/1001/1001/1001/1001/0110", "0010/0110/0010/0010/0010/0010/0010",
    "0110/1001/1001/0010/0100/1000/1111", "0110/1001/0001/0110/0001/1001/0110",
    "1000/1010/1010/1111/0010/0010/0010", "1111/1000/1000/1110/0001/1001/0110",
    "0110/1001/1000/1110/1001/1001/0110", "1111/1001/0001/0010/0010/0100/0100",
    "0110/1001/1001/0110/1001/1001/0110", "0110/1001/1001/0111/0001/1001/0110",
)  # fmt: skip


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def tic_tac_toe(hands, page):
    for _ in range(5):
        page = hands.look()
        if page.all("button", name="START"):
            return
        cells = [each for each in page.all("button") if "ttt" in each.name]
        board = [
            "x" if "mark x" in each.name else "o" if "mark o" in each.name else "" for each in cells
        ]
        hands.click(cells[_move(board)].ref)


def _move(board):
    for mark in "xo":
        for line in LINES:
            held = [board[place] for place in line]
            if held.count(mark) == 2 and "" in held:
                return line[held.index("")]
    return next(place for place in (4, 0, 2, 6, 8, 1, 3, 5, 7) if not board[place])


ORACLES = {
    "click-test": only_button, "click-test-2": button_one, "click-test-transfer": button_one,
    "click-button-sequence": one_then_two, "button-delay": one_wait_two,
    "click-button": named_button, "unicode-test": named_button, "focus-text": nth_field,
    "focus-text-2": nth_field, "click-checkboxes": checkboxes,
    "click-checkboxes-large": checkboxes, "click-checkboxes-transfer": checkboxes,
    "click-checkboxes-soft": similar_checkboxes, "click-option": option, "click-widget": widget,
    "click-collapsible": expand_and_submit, "click-collapsible-nodelay": expand_and_submit,
    "click-collapsible-2": find_link_in_sections,
    "click-collapsible-2-nodelay": find_link_in_sections, "click-tab": tab,
    "click-tab-2": find_link_in_sections, "click-tab-2-easy": find_link_in_sections,
    "click-tab-2-medium": find_link_in_sections, "click-tab-2-hard": find_link_in_sections,
    "click-dialog": close_dialog, "click-dialog-2": dialog_button, "click-link": link,
    "ascending-numbers": numbers_in_order, "find-greatest": cards, "grid-coordinate": grid,
    "odd-or-even": odd_or_even, "number-checkboxes": number_boxes, "tic-tac-toe": tic_tac_toe,
}  # fmt: skip
