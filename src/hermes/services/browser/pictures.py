"""Pictures of a page, with the refs written on them, and the images that it shows."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin

from hermes.services.browser.session import Session

_MOST_MARKS = 200
_MOST_IMAGES = 200
_REF = re.compile(r"@((?:f\d+)?e\d+)\b")
_MARK = """marks => { const layer = document.createElement('div'); layer.id = 'hermes-marks';
  layer.style.cssText = 'position:absolute;left:0;top:0;z-index:2147483647;pointer-events:none';
  for (const mark of marks) { const box = document.createElement('div');
    box.style.cssText = `position:absolute;left:${mark.x + scrollX}px;top:${mark.y + scrollY}px;` +
      `width:${mark.width}px;height:${mark.height}px;outline:2px solid #d0021b`;
    const label = document.createElement('span'); label.textContent = mark.ref;
    label.style.cssText = 'position:absolute;left:0;top:-14px;font:bold 11px monospace;' +
      'background:#d0021b;color:#fff;padding:0 2px;white-space:nowrap';
    box.append(label); layer.append(box) }
  document.documentElement.append(layer) }"""
_UNMARK = "() => document.getElementById('hermes-marks')?.remove()"
_IMAGES = """() => [...document.images].map(each => ({ url: each.currentSrc || each.src,
  alt: each.alt, width: each.naturalWidth, height: each.naturalHeight,
  visible: !!(each.offsetWidth && each.offsetHeight) }))"""


async def screenshot(session: Session, *, full_page: bool = False, annotate: bool = False) -> bytes:
    """Return a PNG of the page, its refs written on it if that is wanted."""
    session.check_dialog()
    page = await session.tab()
    if annotate:
        await _mark(session, page)
    try:
        data: bytes = await page.screenshot(full_page=full_page, animations="disabled")
    finally:
        if annotate:
            await page.evaluate(_UNMARK)
    return data


async def _mark(session: Session, page: Any) -> None:
    view = session.view = await session.look()
    marks = []
    for ref in _REF.findall("\n".join(view.lines))[:_MOST_MARKS]:
        box = await page.locator(f"aria-ref={ref}").bounding_box(timeout=500)
        if box and box["width"] and box["height"]:
            marks.append({**box, "ref": f"@{ref}"})
    await page.evaluate(_MARK, marks)


async def images(session: Session) -> list[dict[str, Any]]:
    """Return the images of a page and of its frames: addresses, words and sizes."""
    session.check_dialog()
    page = await session.tab()
    found: dict[str, dict[str, Any]] = {}
    for frame in page.frames:
        for each in await session.answer(frame.evaluate(_IMAGES)):
            url = urljoin(frame.url, each["url"])
            if url.startswith("data:"):
                url = f"{url[:60]}…"
            if url:
                found.setdefault(url, {**each, "url": url})
    return list(found.values())[:_MOST_IMAGES]
