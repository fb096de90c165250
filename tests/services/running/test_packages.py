"""Which packages may be asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import InvalidArguments
from hermes.services.running import packages


@pytest.mark.parametrize(
    ("language", "package"),
    [
        ("python", "requests"),
        ("python", "requests[socks]>=2.31,<3"),
        ("python", "ruamel.yaml==0.18.*"),
        ("javascript", "zod@3.23.8"),
        ("javascript", "@types/node@^20"),
        ("typescript", "tsx"),
    ],
)
def test_names_with_and_without_versions_are_taken(language, package):
    assert packages.checked(language, [package, package]) == (package,)


@given(st.text(max_size=30))
def test_nothing_that_a_shell_or_an_installer_reads_otherwise_is_taken(text):
    for language in ("python", "javascript"):
        try:
            (taken,) = packages.checked(language, [text])
        except InvalidArguments:
            continue
        assert not taken.startswith(("-", ".", "/"))
        assert not set(taken) & set(" \t\n;&|$`'\"\\(){}:?#%")


def test_the_same_packages_share_a_folder_and_others_do_not():
    keys = {
        packages.key("python", packages.checked("python", each))
        for each in (["a", "b"], ["b", "a"], ["a"])
    }
    assert len(keys) == 2
