"""May this address be fetched? Judged by text, again at connect time, and at each redirect."""

from __future__ import annotations

from hermes.policy.urls.judge import (
    MAX_REDIRECTS,
    Pinned,
    Resolver,
    UrlRules,
    admit,
    is_private,
    judge,
    judge_address,
    judge_redirect,
    keeps_credentials,
    resolve_and_check,
)
from hermes.policy.urls.parse import Refused, Target, parse

__all__ = [
    "MAX_REDIRECTS",
    "Pinned",
    "Refused",
    "Resolver",
    "Target",
    "UrlRules",
    "admit",
    "is_private",
    "judge",
    "judge_address",
    "judge_redirect",
    "keeps_credentials",
    "parse",
    "resolve_and_check",
]
