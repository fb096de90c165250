"""The files of a patch are known before it is applied: none is changed that was not named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import ToolError
from hermes.policy.patches import changed_files
from hermes.services.files.patching.formats import deeds


@pytest.mark.parametrize(
    ("patch", "files"),
    [
        ("*** Update File: a b.txt\n*** Move to: c.txt", ["a b.txt", "c.txt"]),
        ("  *** Add File: /etc/x  \n", ["/etc/x"]),
        ("*** Move File: a -> b", ["a", "b"]),
        ("--- a/x\n+++ b/y\n", ["x", "y"]),
        ("--- /dev/null\r\n+++ b/y\t2024\r\n", ["y"]),
        ('--- "a/\\303\\274"\n+++ "b/\\303\\274"\n', ["ü"]),
        ("diff --git a/x b/x\nnew file mode 100644\n", ["x"]),
        ("rename from a/x\nrename to b/x\n", ["a/x", "b/x"]),
        ("Index: x\n", ["x"]),
    ],
)
def test_every_header_names_its_files(patch, files):
    assert list(changed_files(patch)) == files


NAMES = st.one_of(
    st.sampled_from(["a", "a/b", "/etc/passwd", "b/x b/x", "x -> y", '"q"', "../up", "x\ty", "é"]),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
)
VERBS = st.sampled_from(["Add File", "Update File", "Delete File", "Move to", "Move File"])
FIXED = """\
@@
+x
-x
 x

*** Begin Patch
*** End Patch
*** End of File
diff --git a/e b/e
deleted file mode 100644
--- /dev/null
+++ b/n
@@ -0,0 +1 @@"""
ROWS = st.one_of(
    st.builds("*** {}: {}".format, VERBS, NAMES),
    st.builds("*** Move File: {} -> {}".format, NAMES, NAMES),
    st.builds("--- {}\n+++ {}\n@@ -1 +1 @@\n-a\n+b".format, NAMES, NAMES),
    st.builds("diff --git a/{0} b/{0}\nnew file mode 100644".format, NAMES),
    st.builds("diff --git a/{0} b/{1}\nrename from {0}\nrename to {1}".format, NAMES, NAMES),
    st.sampled_from([*FIXED.split("\n"), "\f", "\r"]),
)


@pytest.mark.proves("patch-judged")
@given(st.lists(ROWS, max_size=8), st.booleans(), st.sampled_from(["\n", "\r\n", "\n  "]))
def test_no_patch_changes_a_file_that_was_not_judged(rows, is_wrapped, joint):
    if is_wrapped:
        rows = ["*** Begin Patch", *rows, "*** End Patch"]
    patch = joint.join(rows)
    try:
        found = deeds(patch)
    except ToolError:
        return
    named = {name for deed in found for name in (deed.path, deed.target, deed.other) if name}
    assert named <= {*changed_files(patch), "/dev/null"}
