"""Describe the clients of code hosts, and version control other than git."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.looking import changes_unless

_GITHUB_LOOKS = """
pr create
pr|issue list|ls|view|status|diff|checks|checkout|co|develop
issue develop
repo clone|list|ls|view|set-default|gitignore|license|sync !--force|--source
repo autolink|deploy-key list|ls|view
release list|ls|view|download|verify|verify-asset
run list|ls|view|watch|download
workflow|ruleset list|ls|view|check
gist list|ls|view|clone
label|secret|variable|cache|ssh-key|gpg-key|org|extension|extensions|alias list|ls|search|browse
variable get
project list|view|item-list|field-list
codespace|cs list|ls|view|logs|ports
config get|list|ls
search|browse|status|copilot|dash|models|attestation|preview|accessibility|licenses
auth status|token|login|logout|refresh|setup-git|switch
extension|extensions|ext install|upgrade
api
"""
_GITLAB_LOOKS = """
mr list|ls|view|show|diff|checkout|issues|approvers|todo
issue list|ls|view|show|board
incident list|ls|view|show
ci|pipe|pipeline list|ls|view|status|trace|get|lint|artifact|config
repo|project clone|list|ls|view|search|contributors|archive
release|label|milestone|iteration|schedule|snippet|ssh-key|deploy-key list|ls|view|download|get
user events
variable list|ls|get|export
auth status|login|logout|git-credential
config get
cluster|runner|token|securefile|stack|job list|ls|view|get|artifact
api|check-update|changelog|duo|alias|opentofu
"""
_QUERY = re.compile(r"\bmutation\b")


def _api(call: Call) -> Iterator[Effect]:
    """Yield the danger of a bare request that does more than look."""
    if call.operands[:1] != ("api",):
        return
    method = (call.value("-X", "--method") or "").upper()
    fields = call.values("-f", "-F", "--field", "--raw-field", "--input")
    if call.operands[1:2] == ("graphql",):
        if any(_QUERY.search(field) for field in fields) or call.has("--input"):
            yield danger("publish", "changes things on the code host")
    elif (fields and not method) or method not in ("", "GET", "HEAD"):
        yield danger("publish", f"changes {' '.join(call.operands[1:2])} on the code host")


_looks_at_github = changes_unless(_GITHUB_LOOKS, "publish", "what others see on GitHub")
_looks_at_gitlab = changes_unless(_GITLAB_LOOKS, "publish", "what others see on GitLab")
_looks_at_gitea = changes_unless(
    """
    issue|issues|pr|pulls|release|releases|repo|repos|label|labels list|ls|view|search|checkout
    pr|pulls|repo|repos clone|checkout|co
    notifications|whoami|open|times|milestone|milestones|branches|organizations
    """,
    "publish",
    "what others see on the code host",
)


def _github(call: Call) -> Iterator[Effect]:
    yield from _looks_at_github(call)
    if call.operands[1:2] == ("download",):
        yield Effect("net", "github.com")
    yield from _api(call)


def _gitlab(call: Call) -> Iterator[Effect]:
    yield from _looks_at_gitlab(call)
    yield from _api(call)


def _mercurial(call: Call) -> Iterator[Effect]:
    for setting in call.values("--config"):
        key, _, value = setting.partition("=")
        if key.startswith(("hooks.", "alias.")) or key.endswith((".ssh", ".editor", ".pager")):
            yield Effect("run", value.removeprefix("!"))
        elif key.startswith("extensions."):
            yield danger("network-exec", f"makes Mercurial load {value or key}")


_FLAGS = (
    "-R --repo --json -q --jq -t --title --template -b --body -L --limit -l --label -a --assignee"
    " -s --state -A --author -B --base -H --head --search -m --milestone -r --reviewer -p --project"
    " -X --method -f -F --field --raw-field -c --commit -w --workflow --branch -n --notes"
    " --hostname --input -D --dir -e --env -o --org --visibility --description -d --header"
)


def _svn(call: Call) -> Iterator[Effect]:
    """Yield the command that svn is told to compare files with."""
    for program in call.values("--diff-cmd", "--diff3-cmd"):
        yield Effect("run", " ".join((program, *call.values("-x", "--extensions"))))


PROGRAMS = {
    "gh": Program(values="-R --repo --hostname", handler=_github),
    "gh api": Program(
        gives="network",
        values="-X --method -f -F --field --raw-field -H --header -q --jq -t --template --cache"
        " -p --preview --hostname --input",
        handler=_github,
    ),
    "gh pr|issue|release|repo|run|workflow|gist|label|search|project|cache": Program(
        values=_FLAGS.replace(" -d ", " ").replace(" -w ", " "), handler=_github
    ),
    "gh repo clone": Program("net write", handler=_github),
    "gh auth": Program(values="-h --hostname -u --user -s --scopes -p", handler=_github),
    "gh secret|variable": Program(
        values="-R --repo -b --body -e --env -o --org -a --app -v --visibility -f --env-file",
        handler=_github,
    ),
    "glab": Program(values="-R --repo --hostname -g --group", handler=_gitlab),
    "glab api": Program(
        values="-X --method -f -F --field --raw-field -H --header --input --hostname",
        handler=_gitlab,
    ),
    "tea": Program(values="-l --login -r --repo -R --remote", handler=_looks_at_gitea),
    "hg|chg": Program(
        values="-R --repository --cwd --config --encoding -r --rev -m --message -u --user -d --date"
        " -X --exclude -I --include -b --branch -B --bookmark",
        handler=_mercurial,
        dry="-n",
    ),
    "hg|chg clone": Program("net write", "-r --rev -u --updaterev -b --branch"),
    "svn": Program(
        values="-r --revision -m --message -F --file --username --password --depth -c -x",
        options={"--diff-cmd|--diff3-cmd|--editor-cmd": "run"},
        handler=_svn,
    ),
    "svn checkout|co|export": Program(
        "net write", "-r --revision --username --password --depth --native-eol"
    ),
    "svnadmin": Program(values="-r --revision -M"),
    "jj": Program(values="-R --repository --at-op --config -m --message -r --revisions -b -B"),
    "jj git clone": Program("net write", "--remote --depth"),
    "bzr|brz": Program(values="-r --revision -m --message -d --directory"),
    "p4": Program(values="-c -p -u -P -d -H -C", dry="-n"),
    "fossil": Program(values="-R --repository -m --comment"),
    "repo": Program(options={"-c": "run"}),
    "mr": Program(values="-d --directory -c --config -j --jobs"),
    "mr run": Program("command", stops=True),
    "arc|gerrit|gt|av|spr|ghstack": Program(),
}

RULES = """
gh|glab auth token           => exfiltration: shows the token of the code host
gh|glab auth status -t|--show-token => exfiltration: shows the token of the code host
gh|glab auth login|logout|refresh|setup-git|switch => persistence: changes the stored login
gh|glab config get *token*   => exfiltration: shows the token of the code host
glab auth git-credential     => exfiltration: shows the token of the code host
glab variable get|export     => exfiltration: shows a variable of the pipelines, often a secret
gh extension|extensions|ext install|upgrade => network-exec: installs {} from the network
gh|glab alias set|import|delete => persistence: changes what commands of the code host's client do
gh pr checkout|co --force|-f => history-rewrite: throws away local commits of the branch
gh repo sync --force         => history-rewrite: overwrites the branch with its source
gh codespace|cs ssh|cp|jupyter => infrastructure: reaches into a codespace

hub pull-request|fork|create|delete|sync => publish: changes what others see on GitHub
hub release create|edit|delete => publish: changes releases on GitHub
hub issue|gist create|update => publish: shows something on GitHub
hub api -X|--method|-f|-F|--field|--raw-field|--input => publish: changes things on GitHub

hg|chg update|up|checkout|co -C|--clean => history-rewrite: throws away uncommitted changes
hg|chg revert                => history-rewrite: throws away the changes in {}
hg|chg strip|rollback|histedit|uncommit => history-rewrite: takes commits out of the history
hg|chg purge|clean           => history-rewrite: deletes files that Mercurial does not know
hg|chg prune|obsolete        => history-rewrite: takes commits out of the history
hg|chg push -f|--force|--publish => history-rewrite: forces its history on the remote
hg|chg phase -f|--force      => history-rewrite: makes published history changeable
hg|chg shelve -d|--delete|--cleanup => history-rewrite: throws away shelved work
hg|chg email|patchbomb       => publish: sends patches by mail
hg|chg serve                 => publish: serves the repository to the network

svn commit|ci|import         => publish: commits straight to the server
svn delete|rm|remove|del|mkdir|copy|cp|move|mv|lock|unlock *://* \
    => publish: changes {} on the server
svn propset|propdel|ps|pd --revprop => history-rewrite: changes the history on the server
svn delete|rm|remove|del --force => history-rewrite: deletes {} with its changes
svn revert                   => history-rewrite: throws away the changes in {}
svn cleanup --remove-unversioned|--remove-ignored => history-rewrite: deletes unversioned files
svn relocate                 => publish: makes later commits go elsewhere
svn switch|sw --relocate     => publish: makes later commits go elsewhere
svnadmin obliterate|load|setrevprop|rmtxns|rmlocks|setlog|recover|pack|upgrade|hotcopy \
    => history-rewrite: changes the repository itself
svnserve|hgweb               => publish: serves the repository to the network

jj abandon|restore           => history-rewrite: throws away the changes of {}
jj op|operation abandon      => history-rewrite: deletes the record that lost work is found by
jj util gc                   => history-rewrite: deletes what nothing points to for good
jj git push --all|--tracked|--deleted => publish: changes every branch on the remote
jj git push -b=main|-b=master|--bookmark=main|--bookmark=master|--branch=main|--branch=master \
    => publish: pushes straight to the main branch

bzr|brz revert|uncommit|clean-tree => history-rewrite: throws away work
bzr|brz push --overwrite     => history-rewrite: overwrites history on the remote
p4 submit                    => publish: submits to the server
p4 revert|clean              => history-rewrite: throws away the changes in {}
p4 obliterate|delete|unsubmit => history-rewrite: deletes {} on the server
fossil revert|clean|purge|shun|scrub => history-rewrite: throws away work
darcs obliterate|revert|unrecord|unpull => history-rewrite: throws away work
repo upload                  => publish: uploads changes for review
repo sync --force-sync|--force-remove-dirty => history-rewrite: throws away local changes
repo abandon                 => history-rewrite: deletes the branch {}
arc land|diff                => publish: sends changes for review or lands them
gt submit|stack|ss|merge     => publish: pushes branches and opens pull requests
spr|ghstack                  => publish: pushes branches and opens pull requests
"""
