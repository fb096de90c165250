"""Describe git."""

from __future__ import annotations

from hermes.policy.shell.model import Program
from hermes.policy.shell.models.git_deeds import deeds

_COMMON = Program(handler=deeds)


PROGRAMS = {
    "git|hub": Program(
        values="-C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source",
        handler=deeds,
    ),
    "git|hub add": _COMMON._replace(
        operands="read*", values="--chmod --pathspec-from-file", dry="-n"
    ),
    "git|hub submodule add": _COMMON._replace(
        operands="net write", values="-b --branch --name --reference --depth"
    ),
    "git|hub am": _COMMON._replace(operands="read*", values="-p -C --directory --exclude -S"),
    "git|hub apply": _COMMON._replace(
        operands="read*",
        values="-p -C --exclude --include --whitespace",
        dry="--check --stat --numstat --summary",
        options={"--directory": "write"},
    ),
    "git|hub archive": _COMMON._replace(
        values="--format --prefix --remote", options={"-o|--output": "write", "--exec": "run"}
    ),
    "git|hub bisect": _COMMON,
    "git|hub blame|annotate": _COMMON._replace(values="-L -S --since --ignore-rev"),
    "git|hub branch": _COMMON._replace(
        values="-u --set-upstream-to --contains --no-contains --merged --no-merged --sort"
        " --points-at --format"
    ),
    "git|hub bundle": _COMMON,
    "git|hub bundle create": _COMMON._replace(operands="write text*"),
    "git|hub checkout": _COMMON._replace(
        values="-b -B --orphan --conflict --pathspec-from-file", dry="-p --patch"
    ),
    "git|hub switch": _COMMON._replace(values="-c -C --create --force-create --orphan --conflict"),
    "git|hub clean": _COMMON._replace(values="-e --exclude", dry="-n"),
    "git|hub clone": _COMMON._replace(
        operands="net",
        values="-b --branch -o --origin --depth -j --jobs --reference --shallow-since --filter"
        " --shallow-exclude -c --config --template --server-option --reference-if-able",
        options={"-u|--upload-pack": "run", "--separate-git-dir": "write"},
    ),
    "git|hub commit": _COMMON._replace(
        values="-m --message -C --reuse-message -c --reedit-message --author --date --fixup"
        " --squash --cleanup --trailer --pathspec-from-file",
        options={"-F|--file": "read", "-t|--template": "read"},
        dry="--dry-run",
    ),
    "git|hub config": _COMMON._replace(
        values="-f --file --blob --type --default --comment --value --url"
    ),
    "git|hub diff|log|show|shortlog|whatchanged|range-diff": _COMMON._replace(
        values="-S -G -O -n --author --committer --grep --since --until --after --before --format"
        " --max-count --skip -L -U --word-diff-regex --date --diff-filter --glob --exclude",
        options={"--output": "write", "--output-directory": "write"},
        when={"--no-index": "read*"},
    ),
    "git|hub format-patch": _COMMON._replace(
        values="-v --subject-prefix --to --cc --start-number --suffix --base -n",
        options={"-o|--output-directory": "write"},
    ),
    "git|hub difftool": _COMMON._replace(values="-t --tool", options={"-x|--extcmd": "run"}),
    "git|hub fetch|pull": _COMMON._replace(
        values="-j --jobs --depth --deepen --shallow-since --refmap -o --server-option -s"
        " --strategy -X --strategy-option --negotiation-tip --filter",
        options={"--upload-pack": "run"},
    ),
    "git|hub ls-remote": _COMMON._replace(
        values="--sort -o --server-option", options={"--upload-pack|--exec": "run"}
    ),
    "git|hub grep": _COMMON._replace(
        values="-e -A -B -C -m --max-depth --threads", options={"-f": "read"}
    ),
    "git|hub init": _COMMON._replace(
        operands="write",
        values="-b --initial-branch --template --object-format",
        options={"--separate-git-dir": "write"},
    ),
    "git|hub merge": _COMMON._replace(
        values="-m -s --strategy -X --strategy-option --cleanup", options={"-F|--file": "read"}
    ),
    "git|hub mv": _COMMON._replace(dry="-n"),
    "git|hub rm": _COMMON._replace(values="--pathspec-from-file", dry="-n"),
    "git|hub notes": _COMMON._replace(values="--ref -m -F -C -c"),
    "git|hub prune": _COMMON._replace(values="--expire", dry="-n"),
    "git|hub push": _COMMON._replace(
        values="-o --push-option --repo --recurse-submodules",
        options={"--receive-pack|--exec": "run"},
        dry="-n",
    ),
    "git|hub rebase": _COMMON._replace(
        values="-s --strategy -X --strategy-option --onto -C --whitespace",
        options={"-x|--exec": "run"},
    ),
    "git|hub cherry-pick|revert": _COMMON._replace(
        values="-m --mainline -s --strategy -X --strategy-option --cleanup"
    ),
    "git|hub reflog": _COMMON._replace(values="--expire --expire-unreachable -n", dry="-n"),
    "git|hub remote": _COMMON._replace(values="-t -m"),
    "git|hub reset": _COMMON._replace(values="--pathspec-from-file", dry="-p --patch"),
    "git|hub restore": _COMMON._replace(
        values="-s --source --conflict --pathspec-from-file", dry="-p --patch"
    ),
    "git|hub stash": _COMMON._replace(values="-m --message --pathspec-from-file"),
    "git|hub submodule": _COMMON._replace(
        values="-b --branch --depth --reference --name -j --jobs"
    ),
    "git|hub tag": _COMMON._replace(
        values="-m --message -u --local-user --sort --contains --no-contains --merged --format"
        " --no-merged --points-at --cleanup --trailer",
        options={"-F|--file": "read"},
    ),
    "git|hub worktree": _COMMON._replace(values="-b -B --reason --expire", dry="-n"),
    "git|hub update-ref": _COMMON._replace(values="-m"),
    "git|hub filter-branch": _COMMON._replace(
        options={
            "--tree-filter|--index-filter|--msg-filter|--env-filter|--commit-filter": "run",
            "--parent-filter|--tag-name-filter|--setup": "run",
        }
    ),
    "git|hub lfs": _COMMON._replace(values="-I --include -X --exclude", dry="-d"),
    "bfg|bfg.jar|git-filter-repo": Program(),
}

RULES = """
git|hub reset --hard|--merge => history-rewrite: throws away changes that are not committed
git|hub reset --keep         => history-rewrite: takes commits off the branch {}
git|hub restore !--staged|-S => history-rewrite: throws away the changes in {}
git|hub restore --worktree|-W => history-rewrite: throws away the changes in {}
git|hub switch|checkout -f|--force|--discard-changes \
    => history-rewrite: throws away changes that are not committed
git|hub clean -f|--force     => history-rewrite: deletes files that git does not know
git|hub stash drop           => history-rewrite: throws away stashed work
git|hub stash clear          => history-rewrite: throws away all stashed work
git|hub branch -D            => history-rewrite: deletes the branch {} though it may not be merged
git|hub branch -d|--delete -f|--force \
    => history-rewrite: deletes the branch {} though it may not be merged
git|hub branch -f|--force * !-d|--delete|-D|--list|-m|--move|-c|--copy \
    => history-rewrite: points the branch {} somewhere else
git|hub branch -M * main|master|prod|production|develop|trunk \
    => history-rewrite: overwrites the branch {}
git|hub tag -d|--delete      => history-rewrite: deletes the tag {}
git|hub tag -f|--force       => history-rewrite: moves the tag {}
git|hub rm -r !--cached \
    => history-rewrite: deletes the folder {} from the workspace and the repository
git|hub rm -f|--force !--cached|-r \
    => history-rewrite: deletes {} with changes that are not committed
git|hub mv -f|--force        => history-rewrite: may overwrite {}
git|hub rebase --root        => history-rewrite: rewrites the whole history
git|hub filter-branch|filter-repo => history-rewrite: rewrites the whole history
git-filter-repo !--analyze   => history-rewrite: rewrites the whole history
bfg|bfg.jar                  => history-rewrite: rewrites the whole history
git|hub lfs prune -f|--force|--verify-remote=false \
    => history-rewrite: deletes large files of which no copy may be left
git|hub apply --unsafe-paths => overwrite: patches files outside the workspace
git|hub lfs migrate import|export => history-rewrite: rewrites the whole history
git|hub reflog expire|delete|drop \
    => history-rewrite: deletes the record that lost commits are found by
git|hub gc --prune=now|--prune=all|--prune=*seconds* \
    => history-rewrite: deletes what no branch points to for good
git|hub prune                => history-rewrite: deletes what no branch points to for good
git|hub update-ref -d        => history-rewrite: deletes {}
git|hub update-ref --stdin   => history-rewrite: changes references
git|hub update-ref refs/heads/*|refs/tags/*|HEAD => history-rewrite: points a branch somewhere else
git|hub symbolic-ref -d|--delete => history-rewrite: deletes the reference {}
git|hub worktree remove -f|--force \
    => history-rewrite: deletes a working tree with changes that are not committed
git|hub submodule deinit -f|--force \
    => history-rewrite: deletes a submodule's working tree with its changes
git|hub submodule update -f|--force => history-rewrite: throws away changes in submodules
git|hub replace * !-l|--list => history-rewrite: replaces {} in the history
git|hub notes remove|prune   => history-rewrite: deletes notes
git|hub notes add -f|--force => history-rewrite: overwrites notes
git|hub read-tree --reset    => history-rewrite: throws away changes that are not committed
git|hub checkout-index -f|--force => history-rewrite: throws away changes that are not committed
git|hub fast-import --force  => history-rewrite: overwrites branches
git|hub annex drop|dropunused|uninit|dropkey --force \
    => history-rewrite: deletes content of which no copy may be left
git|hub annex uninit         => history-rewrite: takes the annex apart
git|hub delete-branch|delete-tag|obliterate|delete-merged-branches|delete-squashed-branches \
    => history-rewrite: deletes {}
git|hub delete-submodule|reset-file|undo -h|--hard => history-rewrite: throws work away

git|hub push -f|--force|--force-with-lease|--force-if-includes \
    => history-rewrite: overwrites history on the remote {}
git|hub push --mirror \
    => history-rewrite: makes the remote {} a copy of this repository, deleting what is not here
git|hub push --prune         => history-rewrite: deletes branches on the remote {}
git|hub push -d|--delete     => history-rewrite: deletes {} on the remote
git|hub push ... +*|:*       => history-rewrite: overwrites or deletes {} on the remote
git|hub push --all|--branches => publish: publishes every branch
git|hub push --tags          => publish: publishes every tag
git|hub push heroku|dokku|prod|production|live|deploy|upstream-prod|gigalixir|clever|piku|staging \
    => publish: deploys to {}
git|hub push * main|master|prod|production|trunk|live|deploy|gh-pages|release*|stable \
    => publish: pushes straight to {}
git|hub push * *:main|*:master|*:prod|*:production|*:trunk => publish: pushes straight to {}
git|hub push * *:live|*:deploy|*:gh-pages|*:release*|*:stable => publish: pushes straight to {}
git|hub push * *:refs/heads/main|*:refs/heads/master => publish: pushes straight to {}
git|hub push * *:refs/heads/prod*|*:refs/heads/release*|*:refs/tags/* \
    => publish: pushes straight to {}
git|hub push * refs/heads/main|refs/heads/master|refs/heads/prod*|refs/heads/release*|refs/tags/* \
    => publish: pushes straight to {}
git|hub push *://*|*@*:*     => publish: pushes to an address that is no known remote
git|hub push --repo=*://*    => publish: pushes to an address that is no known remote
git|hub subtree push         => publish: pushes to {}
git|hub svn dcommit|commit-diff|set-tree => publish: commits to the Subversion server
git|hub cvsexportcommit -c   => publish: commits to the CVS server
git|hub p4 submit            => publish: submits to the Perforce server
git|hub send-email|imap-send => publish: sends patches by mail
git|hub remote set-url       => publish: makes later pushes go elsewhere: {}
git|hub lfs push --all       => publish: uploads all large files
git|hub daemon|instaweb|http-backend => publish: serves the repository to the network

git|hub credential fill      => exfiltration: shows a stored password
git|hub credential approve|reject => persistence: changes the stored passwords
git|hub credential-* get     => exfiltration: shows a stored password
git|hub credential-* store|erase => persistence: changes the stored passwords
git-credential-store|git-credential-cache get => exfiltration: shows a stored password
git-credential-osxkeychain|git-credential-libsecret get => exfiltration: shows a stored password
git-credential-manager|git-credential-manager-core get => exfiltration: shows a stored password
git|hub secret cat|reveal    => exfiltration: shows secrets
git|hub crypt export-key     => exfiltration: exports the key of the repository's secrets

git|hub clone|init --template => persistence: installs hooks from a template
git|hub maintenance start|register => persistence: plants background jobs
git|hub --exec-path=?*       => network-exec: runs git's parts from another folder
git|hub ... ext::*           => network-exec: runs a command that is given as an address
git|hub ... fd::*            => network-exec: talks to an open descriptor in place of a repository
"""
