"""A site on this machine, for tests that open its pages."""

from __future__ import annotations

from tests.services.web.conftest import site

__all__ = ["site"]
