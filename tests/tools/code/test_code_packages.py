"""Packages of registries, installed for one piece of code and used by it."""

import shutil
import subprocess
import sys

import pytest

ENUM = "enum Size { Small = 4 }\nconst size: number = Size.Small\nconsole.log(size)"


@pytest.fixture
def node(project):
    """Run code with the network, where npm reaches its registry."""
    if shutil.which("npm") is None:
        pytest.skip("needs npm (apt package npm)")
    asked = ["npm", "view", "left-pad", "version", "--fetch-retries=0"]
    if subprocess.run(asked, capture_output=True, timeout=50, check=False).returncode:
        pytest.skip("no registry of npm is within reach")

    def run(*calls):
        async def story(call):
            return [await call("code_execute", timeout=30, **each) for each in calls]

        return project.run(story, profile="trusted")

    return run


@pytest.mark.proves("code-packages")
def test_packages_of_npm_are_installed_and_required_or_imported(node):
    required, imported, without = node(
        {
            "code": "console.log(require('left-pad')('7', 3, '0'))",
            "language": "javascript",
            "packages": ["left-pad@1.3.0"],
        },
        {
            "code": "import pad from 'left-pad'\nconsole.log(pad('8', 3, '0'))",
            "language": "javascript",
            "packages": ["left-pad@1.3.0"],
        },
        {"code": "require('left-pad')", "language": "javascript"},
    )
    assert (required["status"], required["stdout"]) == ("ok", "007\n"), required
    assert (imported["status"], imported["stdout"]) == ("ok", "008\n"), imported
    assert "Cannot find module 'left-pad'" in without["stderr"]


@pytest.mark.proves("code-packages")
def test_typescript_runs_by_tsx_among_its_packages(node):
    code = f"import pad from 'left-pad'\n{ENUM}\nconsole.log(pad('9', 2, '0'))"
    (ran,) = node(
        {"code": code, "language": "typescript", "packages": ["tsx@4.23.15", "left-pad@1.3.0"]}
    )
    assert (ran["status"], ran["stdout"]) == ("ok", "4\n09\n"), ran


@pytest.mark.proves("code-packages")
def test_a_package_that_does_not_exist_is_told(node):
    (ran,) = node({"code": "1", "language": "javascript", "packages": ["left-pad@99.0.0"]})
    assert ran["code"] == "packages_failed"
    assert "left-pad@99.0.0" in ran["error"]


@pytest.mark.proves("code-run")
def test_typescript_runs_by_the_tsx_of_the_project(project, needs):
    needs("node")
    project.with_node_parts("tsx")
    answer = project.call("code_execute", code=ENUM, language="typescript")
    assert (answer["status"], answer["stdout"]) == ("ok", "4\n"), answer


@pytest.mark.skipif(sys.platform != "linux", reason="the proxy of a box explains itself on Linux")
def test_a_registry_that_the_profile_does_not_reach_is_named(project, hermes_home, needs):
    needs("npm")
    (hermes_home / "hermes_permissions.yaml").write_text(
        "profiles:\n  some:\n    allow: ['*']\n    restrictions:\n      network:fetch:\n"
        "        allowed_hosts: [example.org]\n"
    )

    async def story(call):
        return await call(
            "code_execute", code="1", language="javascript", packages=["left-pad"], timeout=30
        )

    answer = project.run(story, profile="some")
    assert answer["code"] in ("packages_failed", "denied"), answer
    if answer["code"] == "packages_failed":
        assert "registry.npmjs.org" in answer["hint"], answer
