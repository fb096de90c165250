"""Sites on this machine, and a door to the tools as a program has it."""

from __future__ import annotations

import json

import pytest
from tests.services.web.conftest import other_site, site  # noqa: F401 - fixtures

from hermes import Runtime

OPEN = {"urls": {"allow_private": True}}


@pytest.fixture
def door(tmp_path):
    """Make doors to runtimes that work in ``tmp_path``; private addresses are open."""
    opened = []

    def make(config=OPEN, **options):
        runtime = Runtime(config=config, cwd=tmp_path, **options)
        opened.append(runtime)

        def call(name, task=None, /, **arguments):
            return json.loads(runtime.call_sync(name, arguments, task))

        return call

    yield make
    for runtime in opened:
        runtime.close()


@pytest.fixture
def call(door):
    return door()


def echo(request):
    """Answer with what was asked."""
    told = {
        "method": request.method,
        "path": request.path,
        "headers": {name.lower(): value for name, value in request.headers.items()},
        "body": request.body.decode("utf-8", "replace"),
    }
    return 200, {"content-type": "application/json"}, json.dumps(told)


class Person:
    """Answers every question with the same word."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    async def __call__(self, request):
        self.asked.append(request)
        return self.answer


def article(words="Rivers carry water to the sea. ", times=40, title="Rivers"):
    """Return a page whose article says something."""
    return (
        f"<html><head><title>{title}</title></head><body><nav><a href='/menu'>Menu</a></nav>"
        f"<article><h1>{title}</h1><p>{words * times}</p></article></body></html>"
    )
