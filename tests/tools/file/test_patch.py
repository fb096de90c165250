"""The patch tool through its public door: judged by every file that it names."""

import json

import pytest

from hermes import Runtime


@pytest.fixture
def call(hermes_home, tmp_path):
    (tmp_path / "a.txt").write_text("a\nb\n", encoding="utf-8")
    with Runtime(cwd=tmp_path) as runtime:
        yield lambda **arguments: json.loads(runtime.call_sync("patch", arguments))


def test_a_text_is_replaced(call, tmp_path):
    answer = call(path="a.txt", old_string="b", new_string="c")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "a\nc\n"
    assert (answer["strategy"], answer["lines"]) == ("exact", "2")


def test_a_patch_text_is_applied_with_or_without_its_mode(call, tmp_path):
    text = "*** Begin Patch\n*** Update File: a.txt\n@@\n-{}\n+{}\n*** End Patch"
    call(mode="patch", patch=text.format("a", "A"))
    call(patch=text.format("b", "B"))
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "A\nB\n"


def test_a_miss_is_an_error_that_helps(call):
    answer = call(path="a.txt", old_string="bb", new_string="c")
    assert answer["code"] == "no_match"


def test_a_missing_path_is_told(call):
    assert call(old_string="b", new_string="c")["code"] == "invalid_arguments"


@pytest.mark.proves("patch-judged")
@pytest.mark.parametrize(
    "patch",
    [
        "*** Begin Patch\n*** Update File: a.txt\n*** Move to: {}\n@@\n-a\n+b\n*** End Patch",
        "*** Begin Patch\n*** Move File: a.txt -> {}\n*** End Patch",
        "*** Begin Patch\n*** Add File: {}\n+x\n*** End Patch",
        "--- /dev/null\n+++ {}\n@@ -0,0 +1 @@\n+x\n",
    ],
)
def test_a_place_that_belongs_to_the_system_is_not_patched(call, tmp_path, patch):
    answer = call(mode="patch", patch=patch.format("/etc/hermes-patched.conf"))
    assert answer["code"] == "denied"
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "a\nb\n"
