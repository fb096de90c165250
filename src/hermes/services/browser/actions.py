"""Act on a page as a person would: click, type, press, scroll, drag, go back."""

from __future__ import annotations

import re
from typing import Any

from playwright.async_api import Error

from hermes.base.errors import InvalidArguments, ToolError
from hermes.services.browser import gestures
from hermes.services.browser.refs import element, plain
from hermes.services.browser.session import Session

_GESTURE = re.compile(
    r"(hover|dblclick|doubleclick|rightclick|focus|select|drag|tab|newtab|closetab)\b\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)
_NUMBER = re.compile(r"[+-]?\d*\.?\d+")
_KEYS = {"esc": "Escape", "return": "Enter", "del": "Delete", "up": "ArrowUp", "down": "ArrowDown",
         "left": "ArrowLeft", "right": "ArrowRight", "ctrl": "Control", "cmd": "Meta",
         "command": "Meta", "option": "Alt", "space": "Space", "pgup": "PageUp", "pgdn": "PageDown",
         "enter": "Enter", "tab": "Tab", "backspace": "Backspace", "escape": "Escape",
         "delete": "Delete", "home": "Home", "end": "End", "shift": "Shift", "alt": "Alt",
         "control": "Control", "meta": "Meta", "pageup": "PageUp", "pagedown": "PageDown",
         "arrowup": "ArrowUp", "arrowdown": "ArrowDown", "arrowleft": "ArrowLeft",
         "arrowright": "ArrowRight", "insert": "Insert"}  # fmt: skip
_TRUE = ("true", "on", "yes", "1", "checked", "x")
_FALSE = ("false", "off", "no", "0", "unchecked", "")
_TAKEN = "(each, text) => { const one = each.cloneNode(); one.value = text; return one.value }"
# where to click what another element covers in the middle, but not everywhere
_FREE = """each => {
  const box = each.getBoundingClientRect(), root = each.getRootNode();
  const at = (x, y) => root.elementFromPoint?.(box.x + x * box.width, box.y + y * box.height);
  const middle = at(.5, .5);
  if (!middle || each.contains(middle) || middle.closest('label')?.control === each) return null;
  const parts = [.5, .3, .7, .1, .9];
  for (const y of parts) for (const x of parts) if (each.contains(at(x, y)))
    return { x: x * box.width - each.clientLeft, y: y * box.height - each.clientTop };
  return null }"""
_CONTROL = "each => each.matches('label') && each.control || each"
_KIND = """each => ({ tag: each.tagName.toLowerCase(), type: (each.type || '').toLowerCase(),
  editable: each.isContentEditable,
  files: (each.matches('label') && each.control || each).type === 'file', multiple: !!each.multiple,
  leaves: !!each.closest('a[target], form[target]')?.target.match(/^(?!_self|_top|_parent)/) })"""


async def click(session: Session, ref: str) -> None:
    """Click an element; an option of a list is chosen instead."""
    session.check_dialog()
    found = await element(session, ref)
    kind = await found.evaluate(_KIND)
    if kind["tag"] == "option":
        label = await found.evaluate("each => each.label")
        await session.act(found.locator("xpath=ancestor::select[1]").select_option(label=label))
        return
    session.tab_opened.clear()
    await session.act(found.click(position=await found.evaluate(_FREE)))
    if kind["leaves"] and not session.events.dialog_opened.is_set():
        await session.wait_for_tab()


async def type_text(session: Session, ref: str, text: str, *, submit: bool) -> None:
    """Write into a field in place of what it holds; in a list, choose what is written."""
    session.check_dialog()
    found = await element(session, ref)
    kind = await found.evaluate(_KIND)
    if kind["tag"] == "select":
        await session.act(_select(found, text, is_multiple=kind["multiple"]))
    elif kind["type"] in ("checkbox", "radio"):
        await session.act(found.set_checked(_is_true(text)))
    elif kind["type"] in ("range", "color", "date", "time", "month", "week", "datetime-local"):
        await session.act(_set_value(found, kind["type"], text))
    elif kind["tag"] in ("input", "textarea") or kind["editable"]:
        await session.act(found.fill(text))
    elif kind["tag"] in ("button", "a", "label", "img"):
        raise ToolError(f"{ref} is no field to write into", code="not_editable",
                        hint="browser_click clicks it; browser_press presses keys.")  # fmt: skip
    else:
        await session.act(found.press_sequentially(text))
    if submit and session.events.dialog is None:
        await session.act(found.press("Enter"))


async def is_file_field(session: Session, ref: str) -> bool:
    """Say whether a ref names what takes files: a field, its label, or what asked for them."""
    session.check_dialog()
    kind = await (await element(session, ref)).evaluate(_KIND)
    return bool(kind["files"]) or (_chooser(session) is not None and not _is_written(kind))


async def choose_files(session: Session, ref: str, files: list[dict[str, Any]]) -> None:
    """Give files to what takes them."""
    found = await element(session, ref)
    chooser, session.events.chooser = _chooser(session), None
    if (await found.evaluate(_KIND))["files"]:
        field = (await found.evaluate_handle(_CONTROL)).as_element()
        await session.act(field.set_input_files(files))
    elif chooser is not None:
        await session.act(chooser.set_files(files))


def _chooser(session: Session) -> Any:
    """Return the question for files that the page asked, which goes with its tab."""
    chooser = session.events.chooser
    return chooser if chooser is not None and chooser.page is session.page else None


def _is_written(kind: dict[str, Any]) -> bool:
    """Say whether something is a field that text is written into or chosen in."""
    if kind["tag"] == "input":
        return kind["type"] not in ("button", "submit", "image", "reset")
    return kind["tag"] in ("textarea", "select") or kind["editable"]


def _is_true(text: str) -> bool:
    word = text.strip().lower()
    if word not in (*_TRUE, *_FALSE):
        raise InvalidArguments(f"a box is not {text!r}", hint="Write true or false.")
    return word in _TRUE


_OPTIONS = """each => [...each.options].map(one => [one.value, one.label.trim(),
  one.matches(':disabled')])"""


async def _select(found: Any, text: str, *, is_multiple: bool) -> None:
    options = await found.evaluate(_OPTIONS)
    closed = {label for _, label, is_disabled in options if is_disabled}
    options = [(value, label) for value, label, _ in options]
    wanted = [each.strip() for each in text.split("|")] if is_multiple else [text.strip()]
    wanted = [] if is_multiple and wanted == [""] else wanted
    chosen = []
    for each in wanted:
        by_label = [value for value, label in options if label.lower() == each.lower()]
        by_value = [value for value, _ in options if value == each]
        near = [value for value, label in options if each and each.lower() in label.lower()]
        if not (by_label or by_value or len(near) == 1):
            shown = ", ".join(label for _, label in options[:30])
            raise ToolError(f"the list has no {each!r}", code="no_option", hint=f"It has: {shown}.")
        chosen.append((by_label or by_value or near)[0])
        if any(value == chosen[-1] and label in closed for value, label in options):
            raise ToolError(f"{each!r} is disabled in the list", code="disabled_option")
    await found.select_option(value=chosen)


async def _set_value(found: Any, kind: str, text: str) -> None:
    """Set what a field shows as a widget; what it does not take leaves it as it is."""
    wanted = text.strip()
    taken = await found.evaluate(_TAKEN, wanted)
    is_number = bool(_NUMBER.fullmatch(wanted))
    if (wanted and not taken) or (kind == "range" and not is_number):
        raise InvalidArguments(
            f"the field does not take {text!r}",
            hint="Dates are 2024-05-31, times 14:30, months 2024-05, weeks 2024-W22, "
            "dates with times 2024-05-31T14:30, colours #ff0000.",
        )
    await found.fill(wanted)


async def press(session: Session, keys: str) -> None:
    """Press keys one after the other, or make a gesture: hover, drag, another tab."""
    session.check_dialog()
    gesture = _GESTURE.fullmatch(keys.strip())
    if gesture and (gesture[2] or gesture[1].lower() in ("newtab", "closetab")):
        await _gesture(session, gesture[1].lower(), gesture[2].split())
        return
    if gesture and gesture[1].lower() != "tab":
        raise InvalidArguments(f"{keys.strip()} needs a ref", hint=f"As in {keys.strip()} @e5.")
    page = await session.tab()
    for key in keys.split() or [" "]:
        try:
            await session.act(page.keyboard.press(spelt(key)))
        except Error as error:
            if "Unknown key" not in error.message:
                raise
            raise InvalidArguments(
                f"there is no key {key!r}",
                hint="Keys are like Enter, ArrowDown, a or Control+a; browser_type writes text.",
            ) from error


def spelt(key: str) -> str:
    """Return a key in the browser's own spelling: ``ctrl+a`` is ``Control+a``."""
    if key in ("+", " "):
        return key
    parts = key.split("+") if not key.endswith("++") else [*key[:-2].split("+"), "+"]
    return "+".join(_KEYS.get(part.lower(), part) for part in parts)


async def _gesture(session: Session, name: str, words: list[str]) -> None:
    if name in ("tab", "newtab", "closetab"):
        await _tab(session, name, words)
    elif name == "drag":
        await gestures.drag(session, words)
    elif name == "select":
        await gestures.select(session, words[0], " ".join(words[1:]))
    else:
        found = await element(session, words[0])
        does = {"hover": found.hover, "focus": found.focus}
        if name in does:
            await session.act(does[name]())
        elif name == "rightclick":
            await session.act(found.click(button="right"))
        else:
            await session.act(found.dblclick())


async def _tab(session: Session, name: str, words: list[str]) -> None:
    tabs = session.context.pages
    if name == "newtab":
        session.page = await session.context.new_page()
    elif name == "closetab":
        await (await session.tab()).close()
    else:
        number = int(words[0]) if words[0].isdecimal() else 0
        if not 1 <= number <= len(tabs):
            raise InvalidArguments(f"there is no tab {words[0]}", hint=f"There are {len(tabs)}.")
        session.page = tabs[number - 1]
        await session.page.bring_to_front()
    session.view = None


async def scroll(session: Session, direction: str, amount: int, ref: str = "") -> dict[str, Any]:
    """Scroll the page, or the part of it that a ref is in, and say where it stands."""
    session.check_dialog()
    page = await session.tab()
    across = direction in ("left", "right")
    by = -amount if direction in ("up", "left") else amount
    target = await element(session, ref) if ref else None
    move = {"x": by if across else 0, "y": 0 if across else by}
    place: dict[str, Any]
    if target is not None:
        place = await target.evaluate(_SCROLL_PART, move)
    else:
        place = await page.evaluate(_SCROLL, move)
    return place


_STANDS = """top: Math.round(at.scrollTop), height: at.scrollHeight, view: at.clientHeight"""
_SCROLL = (
    "by => { const at = document.scrollingElement || document.documentElement;"
    f" window.scrollBy(by.x, by.y); return {{{_STANDS}}} }}"
)
_SCROLL_PART = (
    "(each, by) => { let at = each; while (at.parentElement && at.scrollHeight <= at.clientHeight)"
    f" at = at.parentElement; at.scrollBy(by.x, by.y); return {{{_STANDS}}} }}"
)


def check_ref(ref: str) -> None:
    """Refuse a ref that is none, before a browser is opened for it."""
    plain(ref)
