"""What is left to the small interpreter, and what is not."""

import pytest

from hermes.services.scripting.within import stays_within

TOOLS = ["read_file", "terminal"]


@pytest.mark.parametrize(
    "code",
    [
        "print(1)",
        "from hermes_tools import read_file\nx = [read_file(p)['content'] for p in ['a', 'b']]",
        "import hermes_tools as h\nif h.terminal('ls')['exit_code'] == 0:\n    print(f'{1:>3}')",
        "def f(x, y=1):\n    return x + y\nprint(sum(f(n) for n in range(3)), max([1]))",
    ],
)
def test_what_only_puts_calls_together_stays_within(code):
    assert stays_within(code, TOOLS)


@pytest.mark.parametrize(
    "code",
    [
        "import os",
        "open('x')",
        "from hermes_tools import gather",
        "from hermes_tools import write_file",
        "from hermes_tools import read_file as print",
        "import hermes_tools\nhermes_tools.aio",
        "print = 3",
        "().__class__",
        "class A: pass",
        "try:\n    1\nexcept Exception:\n    2",
        "await x",
        "with x: pass",
        "eval('1')",
        "x = b'1'",
        "@f\ndef g(): pass",
        "not python at all",
        "print(__file__)",
    ],
)
def test_anything_else_is_for_python(code):
    assert not stays_within(code, TOOLS)
