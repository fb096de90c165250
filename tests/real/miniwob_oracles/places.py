"""Oracles of tasks on small copies of sites: mail, posts, shops, search, a book of contacts."""

from __future__ import annotations

import re

FROM = (r"(?:from|by) ([A-Z]\w+)", r"([A-Z]\w+)'s", r"([A-Z]\w+) (?:sent|has sent|wrote)",
        r"(?:the|Get|Reply to|reply to) ([A-Z]\w+)'?s? (?:e-?mail|message)")  # fmt: skip
DELETE = re.compile(r"delete|trash|remove|erase|get rid|discard|throw", re.IGNORECASE)
STAR = re.compile(r"star|important|favou?rite|flag", re.IGNORECASE)


def mail(hands, page):
    goal = page.goal
    _icon(hands, "star")
    page = hands.look()
    senders = [each.name.split()[0] for each in page.all("clickable") if each.name]
    sender = _sender(goal, senders)
    row = next(each for each in page.all("clickable") if each.name.split()[:1] == [sender])
    if page.quoted or re.search(r"\b(reply|respond|answer)\b", goal, re.IGNORECASE):
        _reply(hands, row.ref, page.quoted[-1])
    elif DELETE.search(goal):
        hands.click(_beside(page, row, "trash"))
    elif STAR.search(goal):
        hands.click(_beside(page, row, "star"))
    else:
        _forward(hands, row.ref, _other(goal, sender))


def _sender(goal, senders):
    for pattern in FROM:
        for name in re.findall(pattern, goal):
            if name in senders:
                return name
    return next(name for name in re.findall(r"[A-Z]\w+", goal) if name in senders)


def _other(goal, sender):
    to = [name for name in re.findall(r"\bto ([A-Z]\w+)", goal) if name != sender]
    names = [name for name in re.findall(r"\b[A-Z]\w+", goal[1:]) if name != sender]
    first = re.match(r"[A-Z]\w+", goal)[0]
    return (to or names or [first])[-1 if to else 0]


def _beside(page, row, name):
    return next(each.ref for each in page.all("button", name=name) if each.line > row.line)


def _reply(hands, row, text):
    hands.click(row)
    hands.click(hands.look().one("button", name="Reply"))
    hands.type(hands.look().one("textbox"), text)
    hands.click(_icon(hands, "send reply"))


def _forward(hands, row, name):
    hands.click(row)
    hands.click(hands.look().one("button", name="Forward"))
    hands.type(hands.look().one("textbox"), name)
    hands.click(_icon(hands, "send forward"))


def _icon(hands, name):
    """Return an icon once it is loaded; until then it has no size, and no ref."""
    return hands.until(lambda: hands.look().all("button", name=name))[0].ref


def post(hands, page):
    user, action = re.search(r'user (@\w+), click on the "(.*)" button', page.goal).groups()
    hands.until(
        lambda: len(hands.look().all("button", name="more")) == hands.look().text.count("ago")
    )
    page = hands.look()
    if action in ("Like", "Reply", "Retweet"):
        _click_icon(hands, page.under(user, "button", name=action.lower()))
        return
    _click_icon(hands, page.under(user, "button", name="more"))
    page = hands.look()
    hands.click(next(each.ref for each in page.items if each.name.startswith(action)))


def _click_icon(hands, ref):
    """Click again where nothing changed: the icon is another one under the mouse, loaded then."""
    if "note" in hands.click(ref):
        hands.click(ref)


def posts(hands, page):
    action, many, user = re.search(r'"(\w+)" button on (\w+) posts? by (@\w+)', page.goal).groups()
    _icon(hands, action.lower())
    page = hands.look()
    buttons = []
    for number, line in enumerate(page.lines):
        if number and line.endswith(f" {user}"):
            buttons.append(
                next(
                    each.ref
                    for each in page.all("button", name=action.lower())
                    if each.line > number
                )
            )
    hands.click(*(buttons if many == "all" else buttons[: int(many)]))
    hands.submit()


def contact(hands, page):
    name, what = re.search(r"Find (\w+) in .* their (\w+)", page.goal).groups()
    place = ("phone", "email", "address").index(what)
    for _ in range(5):
        page = hands.look()
        if f"## {name}" in page.lines:
            hands.click(page.all("button")[place].ref)
            return
        hands.click(page.one("link", name=">"))


def search(hands, page):
    place = int(re.search(r"the (\d)\w\w search", page.goal)[1]) - 1
    hands.type(page.one("textbox"), page.quoted[0])
    hands.click(page.one("button", name="Search"))
    for number in range(place // 3):
        hands.click(hands.look().one("link", name=str(number + 2)))
    hands.click(hands.look().all("link")[place % 3].ref)


def ticket(hands, page):
    aim = re.search(r"with the (.*)\.", page.goal)[1]
    offers = page.all("button")
    prices = [int(re.search(r"\$(\d+)", each.name)[1]) for each in offers]
    times = [int(h) * 60 + int(m) for h, m in re.findall(r"(\d+)h (\d+)m", page.text)]
    costs = prices if "cost" in aim else times
    best = min(costs) if aim.startswith(("cheapest", "shortest")) else max(costs)
    hands.click(offers[costs.index(best)].ref)


def food(hands, page):
    if "one of each" in page.goal:
        for name in page.goal.partition(": ")[2].split(", "):
            hands.click(page.under(name, "button", name="+"))
    else:
        many, kind = re.search(r"Order (\d) items that are (\S+)", page.goal).groups()
        add = page.under(f"(image {kind})", "button", name="+")
        for _ in range(int(many)):
            hands.click(add)
    hands.submit("Order!")


def tree(hands, page):
    wanted = page.quoted[0]
    tried = set()
    for _ in range(10):
        page = hands.look()
        found = [each for each in page.items if each.name == wanted]
        if found:
            hands.click(found[-1].ref)
            return
        closed = [
            each
            for each in page.all("button")
            if "expandable" in each.name and each.ref not in tried
        ]
        tried.add(closed[0].ref)
        hands.click(closed[0].ref)
    raise AssertionError(f"no {wanted}")


def stocks(hands, page):
    limit = float(re.search(r"less than \$([\d.]+)\.", page.goal)[1])
    buy = page.one("button", name="Buy")
    price = re.compile(r"Stock price: \$([\d.]+)")
    hands.until_quickly(
        lambda page: (found := price.search(page.text)) and float(found[1]) <= limit
    )
    hands.click(buy)


ORACLES = {
    "email-inbox": mail, "email-inbox-delete": mail, "email-inbox-forward": mail,
    "email-inbox-forward-nl": mail, "email-inbox-forward-nl-turk": mail,
    "email-inbox-important": mail, "email-inbox-nl-turk": mail, "email-inbox-noscroll": mail,
    "email-inbox-reply": mail, "email-inbox-star-reply": mail, "social-media": post,
    "social-media-all": posts, "social-media-some": posts, "phone-book": contact,
    "search-engine": search, "buy-ticket": ticket, "order-food": food, "navigate-tree": tree,
    "stock-market": stocks,
}  # fmt: skip
