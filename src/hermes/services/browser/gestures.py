"""Make the gestures that are no single click: drag something somewhere, select text."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from hermes.base.errors import InvalidArguments, ToolError
from hermes.services.browser.refs import element
from hermes.services.browser.session import Session

_STEPS = 10
_EDITOR_SECONDS = 0.15
_OFFSET = re.compile(r"[+-]?\d+(?:px)?,?")
_DRAG_HINT = "Write it like drag @e3 @e9, drag @e3 +40 -10 (right, down) or drag @e3 @e9 +0 +20."
_SELECT = """(each, words) => {
  if (each.matches('input, textarea')) {
    const at = words ? each.value.indexOf(words) : 0;
    if (at < 0) return false;
    each.focus();
    each.setSelectionRange(at, words ? at + words.length : each.value.length);
    return true }
  const walk = document.createTreeWalker(each, NodeFilter.SHOW_TEXT), parts = [];
  let text = '';
  while (walk.nextNode()) { parts.push([text.length, walk.currentNode]);
    text += walk.currentNode.data }
  const start = words ? text.indexOf(words) : 0, end = words ? start + words.length : text.length;
  if (start < 0 || !parts.length) return false;
  each.closest('[contenteditable]')?.focus();
  const held = at => parts.findLast(([from]) => from < at || from === 0);
  const first = parts.findLast(([from]) => from <= start), last = held(end);
  const chosen = document.getSelection();
  chosen.setBaseAndExtent(first[1], start - first[0], last[1], end - last[0]);
  return true }"""


async def drag(session: Session, words: list[str]) -> None:
    """Drag an element onto another one, by pixels, or by pixels from another one's middle."""
    start, *rest = words or [""]
    over = [float(each.rstrip("px,")) for each in rest if _OFFSET.fullmatch(each)]
    onto = [each for each in rest if not _OFFSET.fullmatch(each) and each.lower() != "to"]
    if len(onto) > 1 or len(over) not in (0, 2) or not (onto or over):
        raise InvalidArguments("drag needs two refs, or a ref and pixels", hint=_DRAG_HINT)
    found = await element(session, start)
    target = await element(session, onto[0]) if onto else None
    if target is not None and not over:
        await session.act(found.drag_to(target, steps=_STEPS))
    else:
        await session.act(_drag_by(session, found, target or found, (over[0], over[1])))


async def _drag_by(session: Session, found: Any, base: Any, over: tuple[float, float]) -> None:
    mouse = (await session.tab()).mouse
    await base.scroll_into_view_if_needed()
    await found.hover()
    box = await base.bounding_box()
    if box is None:
        raise ToolError("it cannot be seen, so it cannot be dragged", code="not_visible")
    x, y = box["x"] + box["width"] / 2 + over[0], box["y"] + box["height"] / 2 + over[1]
    await mouse.down()
    await mouse.move(x, y, steps=_STEPS)
    await mouse.up()


async def select(session: Session, ref: str, words: str) -> None:
    """Select the text of an element, or some words of it."""
    found = await element(session, ref)
    await found.scroll_into_view_if_needed()
    if not await found.evaluate(_SELECT, words):
        raise ToolError(
            f"{ref} has no text {words!r}" if words else f"{ref} has no text",
            code="no_text",
            hint="Words to select are written as they stand there.",
        )
    # editors look at what is selected a moment after a key or the mouse is let go, not before
    await session.act((await session.tab()).keyboard.press("Shift"))
    await asyncio.sleep(_EDITOR_SECONDS)
