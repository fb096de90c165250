"""Sites on this machine, and a door to the browser tools."""

from __future__ import annotations

from tests.tools.web.conftest import door, other_site, site

__all__ = ["door", "other_site", "site"]
