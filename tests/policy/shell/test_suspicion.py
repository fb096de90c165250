"""What cannot be known never hides what no profile allows."""

import pytest

BENEATH = [
    "python3 -c \"print('rm -rf /')\" | sh",
    "$(python3 -c 'print(\"rm\")') -rf /",
    'eval "$(perl -e \'print "rm -rf /"\')"',
    "echo 'rm -rf /' | gzip | gunzip | sh",
    "echo cm0gLXJmIC8= | perl -MMIME::Base64 -ne 'print decode_base64($_)' | sh",
    "echo '/ fr- mr' | some-filter | sh",
    "$TOOL -rf /",
    "mkfs.ext4 $(findmnt -no SOURCE /)",
    "ls -A / | sed 's#^#/#' | xargs rm -rf",
    "julia -e 'rm(\"/\", recursive=true)'",
    'elixir -e \'System.cmd("rm", ["-rf", "/"])\'',
    'python3 -c "import shutil,sys; shutil.rmtree(sys.argv[1])" /',
    'echo \'{"scripts":{"x":"rm -rf /"}}\' > package.json; npm run x',
    'groovy -e \'new File("/home/dev/.hermes/config.yaml").write("")\'',
]
ABOVE = [
    "python3 -c \"print('rm -rf /')\"",
    "python3 -c \"print('rm -rf /')\" | wc -c",
    "echo 'rm -rf /' | gzip > x.gz",
    "cat > notes.md <<'E'\nrun `rm -rf /` never\nE\nnpm test",
    "julia -e 'println(\"rm -rf /\")'",
    "python3 -c \"import os; os.listdir('/')\"",
    "$TOOL -rf build",
]


def severities(found):
    return {finding.severity for finding in found.findings}


@pytest.mark.parametrize("command", BENEATH)
def test_a_catastrophe_that_may_come_of_the_unknown_is_on_the_floor(meaning, command):
    assert "floor" in severities(meaning(command))


@pytest.mark.parametrize("command", ABOVE)
def test_text_that_is_never_run_is_not_suspected(meaning, command):
    assert "floor" not in severities(meaning(command))


def test_what_is_tried_leaves_nothing_behind(meaning):
    tried = 'eval "$(perl -e \'print "echo true > /tmp/x.sh"\')"; sh /tmp/x.sh'
    written = "echo 'rm -rf /' > /tmp/x.sh; " + tried
    assert "floor" in severities(meaning(written))
