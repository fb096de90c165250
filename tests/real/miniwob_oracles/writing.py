"""Oracles of tasks that are done by reading and writing."""

from __future__ import annotations

import re

from tests.real.miniwob_oracles.clicking import POSITIONS


def quoted_text(hands, page):
    hands.type(page.one("textbox"), page.quoted[0])
    hands.submit()


def cased_text(hands, page):
    text = page.quoted[0]
    hands.type(page.one("textbox"), text.upper() if "upper" in page.goal else text.lower())
    hands.submit()


def password_twice(hands, page):
    for each in page.all("textbox"):
        hands.type(each.ref, page.quoted[0])
    hands.submit()


def login(hands, page):
    fields = page.all("textbox")
    for each, text in zip(fields, page.quoted, strict=True):
        hands.type(each.ref, text)
    hands.submit("Login")


def login_past_popup(hands, page):
    for number, text in enumerate(page.quoted):
        for _ in range(2):
            answer = hands.call(
                "browser_type", ref=page.one("textbox", nth=number), text=text, may_fail=True
            )
            cancel = hands.look().all("button", name="Cancel")
            if not cancel:
                break
            hands.click(cancel[0].ref)
        assert "error" not in answer, answer
    hands.submit("OK")


def date(hands, page):
    month, day, year = re.search(r"(\d+)/(\d+)/(\d+)", page.goal).groups()
    hands.type(page.one("textbox"), f"{year}-{month}-{day}")
    hands.submit()


def clock(hands, page):
    hour, minute, half = re.search(r"(\d+):(\d+)\s(AM|PM)", page.goal).groups()
    hours = int(hour) % 12 + (12 if half == "PM" else 0)
    hands.type(page.one("textbox"), f"{hours:02}:{minute}")
    hands.submit()


def nth_word(hands, page):
    place = int(re.search(r"the (\d+)\w\w word", page.goal)[1])
    word = page.lines[1].split()[place - 1]
    hands.type(page.one("textbox"), re.sub(r"[^a-zA-Z]", "", word))
    hands.submit()


def last_word(hands, page):
    area = page.one("textbox")
    tree = hands.call("browser_snapshot", full=True)["snapshot"]
    text = next(line for line in tree.splitlines() if "textbox" in line)
    hands.scroll(area, 2_000)
    hands.type(page.one("textbox", nth=1), re.findall(r"[a-zA-Z]+", text)[-1])
    hands.submit()


def scroll_to_end(hands, page):
    hands.scroll(page.one("textbox"), 10_000, "up" if "top" in page.goal else "down")
    hands.submit()


def copy_by_keys(hands, page):
    fields = page.all("textbox")
    source = next(each for each in fields if each.value)
    target = next(each for each in fields if not each.value)
    hands.click(source.ref)
    hands.press("Control+a Control+c")
    hands.click(target.ref)
    hands.press("Control+v")
    hands.submit()


def copy_nth_by_keys(hands, page):
    nth = next(n for n, word in enumerate(POSITIONS) if word in page.goal)
    fields = page.all("textbox")
    hands.click(fields[nth].ref)
    hands.press("Control+a Control+c")
    hands.click(fields[3].ref)
    hands.press("Control+v")
    hands.submit()


def arithmetic(hands, page):
    first, sign, second = re.match(r"(-?\d+) (\S) (-?\d+)", page.lines[1]).groups()
    numbers = int(first), int(second)
    answer = {"+": sum(numbers), "-": numbers[0] - numbers[1]}.get(sign, numbers[0] * numbers[1])
    hands.type(page.one("textbox"), str(answer))
    hands.submit()


def algebra(hands, page):
    left, sign, right, result = re.match(r"(\S+) (\S) (\S+) = (-?\d+)", page.lines[1]).groups()
    known, total = int(left if right == "x" else right), int(result)
    taken = known - total if right == "x" else total + known
    answer = total - known if sign == "+" else taken
    hands.type(page.one("textbox"), str(answer))
    hands.submit()


def letters(hands, page):
    text = "".join(line for line in page.lines[1:] if len(line) == 1)
    hands.type(page.one("textbox"), text)
    hands.submit()


def table(hands, page):
    wanted = re.search(r"value of (.*) into", page.goal)[1]
    hands.type(page.one("textbox"), _cell(page, wanted))
    hands.submit()


def table_form(hands, page):
    for each in page.all("textbox"):
        label = (
            page.lines[each.line].partition("@")[0].strip() or page.lines[each.line - 1]
        ).rstrip(":")
        hands.type(each.ref, _cell(page, label))
    hands.submit()


def _cell(page, label):
    return next(
        line.split("|")[2].strip() for line in page.lines if line.startswith(f"| {label} |")
    )


def guess(hands, page):
    low, high = 0, 9
    while low <= high:
        number = (low + high) // 2
        hands.type(page.one("spinbutton"), str(number))
        hands.click(page.one("button", name="Submit"))
        said = str(hands.look().lines)  # what changed tells the word that went too
        if "higher" in said:
            low = number + 1
        elif "lower" in said:
            high = number - 1
        else:
            return


def generate(hands, page):
    goal = page.goal
    wanted = int((re.search(r"than (\d+)", goal) or ["", "0"])[1])
    for _ in range(40):
        hands.click(page.one("button", name="Generate"))
        number = next(int(line) for line in hands.look().lines[1:] if line.isdigit())
        fits = {"less": number < wanted, "greater": number > wanted,
                "odd": number % 2 == 1, "even": number % 2 == 0}  # fmt: skip
        if next(is_so for word, is_so in fits.items() if f" {word} " in goal):
            break
    hands.submit()


def movies(hands, page):
    wanted = {
        "genre": re.search(r"for (.*) movies", page.goal),
        "director": re.search(r"directed by (.*) from", page.goal),
        "year": re.search(r"year (\d+)", page.goal),
    }
    is_before = page.lines[1].startswith("@")
    for each in page.all("textbox"):
        line = page.lines[each.line]
        if is_before:
            near = f"{line.partition(each.ref)[2]} {page.lines[each.line + 1]}".lower()
        else:
            near = f"{page.lines[each.line - 1]} {line.partition(each.ref)[0]}".lower()
        label = max(wanted, key=near.replace("date", "year").rfind)
        hands.type(each.ref, wanted[label][1])
    hands.click(page.items[-1].ref)


def agreement(hands, page):
    if page.quoted:
        hands.scroll(page.one("textbox"), 10_000)
        page = hands.look()
        hands.type(page.one("textbox", nth=1), page.quoted[0])
    hands.click(page.one("button", name="Agree" if "Agree" in page.quoted else "Cancel"))


def delete_file(hands, page):
    field = page.one("textbox")
    hands.click(field)
    hands.press("l s Enter")
    shown = hands.look()
    kind = re.search(r"ending with the extension \.?(\S+?)[.]?$", shown.goal)
    files = [
        word
        for line in shown.lines[1:]
        for word in line.split()
        if re.fullmatch(r"[a-z]+(\.[a-z.]+)?", word)
    ]
    listed = files[files.index("ls") + 1 :] if "ls" in files else files
    wanted = next(
        name for name in listed if (name.endswith(f".{kind[1]}") if kind else "." not in name)
    )
    hands.press(f"r m Space {' '.join(wanted)} Enter")


ORACLES = {
    "enter-text": quoted_text, "enter-text-dynamic": quoted_text, "enter-text-2": cased_text,
    "enter-password": password_twice, "login-user": login, "login-user-popup": login_past_popup,
    "enter-date": date, "enter-time": clock, "find-word": nth_word, "scroll-text": last_word,
    "scroll-text-2": scroll_to_end, "copy-paste": copy_by_keys, "copy-paste-2": copy_nth_by_keys,
    "simple-arithmetic": arithmetic, "simple-algebra": algebra, "text-transform": letters,
    "read-table": table, "read-table-2": table_form, "guess-number": guess,
    "generate-number": generate, "multi-layouts": movies, "multi-orderings": movies,
    "sign-agreement": agreement, "terminal": delete_file,
}  # fmt: skip
