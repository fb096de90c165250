"""Notice what a page lets people act on without saying so: things that listen, and icons."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from playwright.async_api import Error

_MOST_FRAMES = 20

NOTICE = r"""(() => {
  const place = Symbol.for('hermes.listening');
  if (window[place]) return;
  const listening = [], known = new WeakSet();
  const kinds = new Set(['click', 'dblclick', 'mousedown', 'pointerdown', 'touchstart', 'keydown']);
  const note = each => { if (each instanceof Element && !known.has(each)) {
    known.add(each); listening.push(new WeakRef(each)) } };
  Object.defineProperty(window, place, { value: listening });
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function addEventListener(kind, does) {
    if (does && kinds.has(kind)) note(this);
    return add.apply(this, arguments) };
  for (const name of ['onclick', 'onmousedown', 'onpointerdown']) {
    const own = Object.getOwnPropertyDescriptor(HTMLElement.prototype, name);
    Object.defineProperty(HTMLElement.prototype, name, { ...own, set(does) {
      if (does) note(this);
      own.set.call(this, does) } }) }
  const asked = new Map(), { fetch: ask } = window, { send } = XMLHttpRequest.prototype;
  Object.defineProperty(window, Symbol.for('hermes.asked'), { value: asked });
  const began = (key = {}) => { asked.set(key, performance.now()); return key };
  const ended = key => setTimeout(() => asked.delete(key), 30);  // its scripts draw it first
  if (ask) window.fetch = function fetch(...given) {
    const key = began(), answer = ask.apply(this, given);
    answer.then(() => ended(key), () => ended(key));
    return answer };
  XMLHttpRequest.prototype.send = function (...given) {
    const key = began();
    this.addEventListener('loadend', () => ended(key), { once: true });
    try { return send.apply(this, given) } catch (error) { ended(key); throw error } };
})()"""
"""Runs before the scripts of a page; remembers which elements they listen to and what they ask."""

_MARK = r"""async () => {
  // what its scripts asked for a moment ago is about to be drawn
  const asked = window[Symbol.for('hermes.asked')], now = () => performance.now();
  const until = now() + 1500;
  const isYoung = at => now() - at < 1500;
  while (asked?.size && now() < until && [...asked.values()].some(isYoung))
    await new Promise(go => setTimeout(go, 15));
  if (!document.querySelector('body')) return document.documentElement?.textContent.trim() ?? '';
  const roots = [document];
  for (const root of roots)
    for (const each of root.querySelectorAll('*')) if (each.shadowRoot) roots.push(each.shadowRoot);
  const every = words => roots.flatMap(root => [...root.querySelectorAll(words)]);
  // what can be typed into counts as a field, whatever the page calls it; its text is its name,
  // as the tree leaves it out otherwise
  for (const each of every(
      '[contenteditable=""], [contenteditable="true"], [contenteditable="plaintext-only"]')) {
    if (!each.hasAttribute('role')) each.setAttribute('role', 'textbox');
    const own = each.dataset.hermesLabel ??= each.getAttribute('aria-label') ?? '';
    const text = each.innerText.trim().slice(0, 200);
    const label = own && text ? `${own}: ${text}` : own || text;
    if (label && label !== each.ariaLabel) each.setAttribute('aria-label', label) }
  for (const each of every('details > summary:first-of-type')) {
    if (!each.hasAttribute('role')) each.setAttribute('role', 'button');
    each.setAttribute('aria-expanded', each.parentElement.open) }
  // a field for files is often hidden, and its label stands for it
  for (const each of every('input[type=file]'))
    if (!each.getClientRects().length)
      for (const label of each.labels) label.setAttribute('role', 'button');
  // what listens counts as a button, unless it holds others that do; an icon is named by its class
  const NATIVE = 'a[href], button, input, select, textarea, summary, option, label, iframe, object,'
    + '[role]:not([data-hermes-mark]), [contenteditable]';
  const SPEAKS = 'li, td, th, tr, h1, h2, h3, h4, h5, h6, img, p';
  const NEVER = 'html, body, form, main, table, tbody, ul, ol, svg';
  const listening = window[Symbol.for('hermes.listening')] ?? [];
  const found = new Set(every(
    '[onclick], [onmousedown], [tabindex="0"], [data-hermes-mark]'));
  for (let at = listening.length; at--;) {
    const each = listening[at].deref();
    if (!each) listening.splice(at, 1);
    else if (each.isConnected) found.add(each) }
  // a handle or an icon is often an empty box with nothing but a cursor of its own
  const cursor = each => getComputedStyle(each).cursor;
  const HANDLES = /pointer|grab|move|resize/;
  const bare = every('div, span, i').filter(
    each => !each.childElementCount && !each.textContent.trim());
  for (const each of bare.slice(0, 500))
    if (HANDLES.test(cursor(each)) && cursor(each) !== cursor(each.parentElement)) found.add(each);
  const holding = new Set();
  for (const each of found)
    for (let at = each.parentElement; at && !holding.has(at); at = at.parentElement)
      holding.add(at);
  const SAYS = ':is([aria-label], [aria-labelledby], [title], img[alt]):not([data-hermes-name])';
  const isSaid = each => !!each.textContent.trim() || each.matches(SAYS)
    || !!each.querySelector(SAYS);
  const PASSING = /hover|focus|state|[:[\]/]/i;  // a name that these change would cost the ref
  const name = each => {
    const { title, tooltip, label: said, action, icon, value } = each.dataset;
    const parts = [title ?? tooltip ?? said ?? action ?? icon, ...each.classList, each.id, value];
    const named = parts.filter(part => part && !PASSING.test(part)).join(' ').trim()
      || (each instanceof SVGElement ? each.tagName : '');
    const label = named.replace(/(?<=\w)[-_]+(?=\w)/g, ' ').slice(0, 60).trim();
    if (!label || label === each.getAttribute('aria-label')) return;
    each.setAttribute('data-hermes-name', '');
    each.setAttribute('aria-label', label) };
  const unname = each => ['data-hermes-name', 'aria-label'].map(one => each.removeAttribute(one));
  const tell = each => { if (!isSaid(each)) name(each);
    else if (each.hasAttribute('data-hermes-name')) unname(each) };
  every('button, a[href]').forEach(tell);
  for (const each of found) {
    const isOurs = each.hasAttribute('data-hermes-mark');
    if (!isOurs && (each.matches(NATIVE) || each.matches(NEVER))) continue;
    const isPart = !holding.has(each) && each.textContent.length <= 150
      && each.getElementsByTagName('*').length <= 8 && !each.querySelector(NATIVE);
    const isTold = isPart && !isOurs && isSaid(each) && each.matches(SPEAKS)
      && cursor(each) === 'pointer';
    if (isPart && !isTold) {
      if (!isOurs) each.setAttribute('data-hermes-mark', '');
      if (!isOurs) each.setAttribute('role', 'button');
      tell(each) }
    else if (isOurs) {
      each.removeAttribute('data-hermes-mark');
      each.removeAttribute('role');
      if (each.hasAttribute('data-hermes-name')) unname(each) } }
}"""


async def notice(context: Any) -> None:
    """Have the pages of a context remember from now on what they listen to."""
    await context.add_init_script(NOTICE)


async def mark(page: Any) -> str | None:
    """Give what was noticed on a page and in its frames a role and a name.

    A document without a body has no accessibility tree; its text is returned instead.
    """
    text: str | None = await page.evaluate(_MARK)
    inner = page.frames[1:_MOST_FRAMES]
    if inner:
        await asyncio.gather(*map(_mark_frame, inner))
    return text


async def _mark_frame(frame: Any) -> None:
    with contextlib.suppress(Error, TimeoutError):  # a frame that is gone has nothing to show
        async with asyncio.timeout(1):
            await frame.evaluate(_MARK)
