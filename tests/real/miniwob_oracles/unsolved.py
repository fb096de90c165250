"""Tasks that no oracle here solves, and why: a snapshot in words does not tell what they ask."""

from __future__ import annotations

_GEOMETRY = "needs sight: where shapes lie on a drawing"
_LOOKS = "needs sight: which shape or colour a figure has"
_MOVES = "needs sight: a shape that moves must be followed"

REASONS = {
    "bisect-angle": _GEOMETRY, "circle-center": _GEOMETRY, "draw-circle": _GEOMETRY,
    "draw-line": _GEOMETRY, "drag-cube": _GEOMETRY, "drag-shapes": _GEOMETRY,
    "drag-shapes-2": _GEOMETRY, "find-midpoint": _GEOMETRY, "right-angle": _GEOMETRY,
    "hot-cold": _GEOMETRY, "daily-calendar": _GEOMETRY,
    "click-color": _LOOKS, "click-shades": _LOOKS, "click-shape": _LOOKS, "count-shape": _LOOKS,
    "count-sides": _LOOKS, "identify-shape": _LOOKS, "use-colorwheel-2": _LOOKS,
    "visual-addition": _LOOKS,
    "chase-circle": _MOVES, "hover-shape": _MOVES, "moving-items": _MOVES,
}  # fmt: skip
