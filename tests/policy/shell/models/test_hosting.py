import pytest

from hermes.policy.paths.places import Places
from hermes.policy.shell.state import Place
from hermes.policy.shell.understanding import understand

PLACE = Place("/home/dev/app", Places(("/home/dev/app",), "/home/dev", "/home/dev/.hermes"))

HARMLESS = [
    "gh pr list",
    "gh pr view 12 --json title",
    "gh pr diff 3",
    "gh pr checks",
    "gh pr checkout 12",
    "gh repo clone x/y",
    "gh repo view",
    "gh run list --limit 5",
    "gh run view 12 --log-failed",
    'gh issue list --search "delete repo"',
    "gh issue view 3",
    "gh api repos/x/y/pulls",
    "gh api graphql -f query='query { viewer { login } }'",
    "gh api -X GET search/issues -f q=x",
    "gh auth status",
    "gh release list",
    "gh release download v1",
    "gh workflow list",
    "gh search repos x",
    "gh browse",
    "gh --version",
    "gh -R x/y pr list",
    "gh secret list",
    "glab mr list",
    "glab ci status",
    "glab mr view 1",
    "hg status",
    "hg log -l 5",
    "hg commit -m x",
    "hg pull -u",
    "svn status",
    "svn update",
    "svn diff",
    "svn co https://x/y",
    "jj log",
    "jj new",
    "jj git fetch",
    "hub clone x/y",
    "hub status",
]
DANGEROUS = [
    ("gh pr create --fill", "publish"),
    ("gh pr merge 12 --squash", "publish"),
    ("gh pr close 3", "publish"),
    ("gh pr comment 3 -b hi", "publish"),
    ("gh -R x/y repo delete", "publish"),
    ("gh repo delete x/y --yes", "publish"),
    ("gh repo edit --visibility public", "publish"),
    ("gh repo create x --public", "publish"),
    ("gh release create v1", "publish"),
    ("gh release delete v1", "publish"),
    ("gh secret set X -b y", "publish"),
    ("gh auth token", "exfiltration"),
    ("gh auth status --show-token", "exfiltration"),
    ("gh gist create x.txt", "publish"),
    ("gh workflow run deploy.yml", "publish"),
    ("gh run cancel 12", "publish"),
    ("gh api -X DELETE repos/x/y", "publish"),
    ("gh api repos/x/y/issues -f title=x", "publish"),
    ("gh api graphql -f query='mutation { x }'", "publish"),
    ("gh api --method PATCH repos/x/y -F private=false", "publish"),
    ("gh issue close 1", "publish"),
    ("gh extension install x/y", "network-exec"),
    ("gh auth logout", "persistence"),
    ("gh variable set X", "publish"),
    ("gh ssh-key add x.pub", "publish"),
    ("gh label delete x", "publish"),
    ("glab mr merge 1", "publish"),
    ("glab mr create", "publish"),
    ("glab repo delete x", "publish"),
    ("glab api -X DELETE projects/1", "publish"),
    ("glab ci run", "publish"),
    ("glab variable set X y", "publish"),
    ("hg update -C", "history-rewrite"),
    ("hg strip tip", "history-rewrite"),
    ("hg purge", "history-rewrite"),
    ("hg push -f", "history-rewrite"),
    ("hg --config extensions.purge= purge", "history-rewrite"),
    ("svn commit -m x", "publish"),
    ("svn delete https://x/y -m z", "publish"),
    ("svn revert -R .", "history-rewrite"),
    ("svn cleanup --remove-unversioned", "history-rewrite"),
    ("jj abandon", "history-rewrite"),
    ("jj git push --all", "publish"),
    ("hub delete x/y", "publish"),
    ("hub pull-request -m x", "publish"),
    ("hub push --force", "history-rewrite"),
    ("p4 revert //...", "history-rewrite"),
]


@pytest.mark.parametrize("command", HARMLESS)
def test_code_hosting_in_everyday_use_asks_nothing(command):
    assert understand(command, PLACE).findings == ()


@pytest.mark.parametrize(("command", "category"), DANGEROUS)
def test_code_hosting_says_what_is_dangerous(command, category):
    findings = understand(command, PLACE).findings

    assert category in {finding.category for finding in findings}
