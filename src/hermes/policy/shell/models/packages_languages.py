"""Describe the package managers of Rust, Go, Ruby, PHP, .NET, Elixir, the JVM and others."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.scripts_named import task

_OUT = re.compile(
    r"^(?:publish(?!.*(?:local|mavenlocal|todevice)).*|.*deploy(?!mentdescriptor).*|release"
    r"|uploadarchives|bintrayupload|artifactorypublish|closeandrelease.*|sonatype.*release.*"
    r"|githubrelease|jreleaser.*|promote.*|gitpublishpush|ci-?release)$"
)
_DATA = re.compile(r"^(?:flywayclean|liquibasedropall|dropall|flywayundo|liquibaserollback.*)$")
_FRAMEWORKS = re.compile(
    r"(?:laravel|symfony|slim|drupal|cakephp|codeigniter4|yiisoft|typo3|magento|craftcms|statamic"
    r"|roots|api-platform|laminas|mezzio|shopware|sylius|wordpress|johnpbloch|october|spiral|neos"
    r"|contao|hyperf|phalcon|pestphp|filament|livewire|winter|flarum|bolt|sulu|getkirby|twill"
    r"|nette|leafs|tempest)/|$"
)
"""Whose skeletons of projects composer lays out every day."""
_TOOLS = ("golang.org/", "google.golang.org/", "honnef.co/", "mvdan.cc/", "gotest.tools/")


def _cargo(call: Call) -> Iterator[Effect]:
    operands = call.operands
    if operands[:1] and operands[0].startswith("+"):
        words = [word for word in call.words if word != operands[0]]
        yield Effect("run", shlex.join(("cargo", *words)))
    elif operands[:1] in (("make",), ("xtask",)) and len(operands) > 1:
        yield from task(operands[1], operands[2:])
    elif operands[:1] == ("install",) and not call.has("--list", "--root"):
        what = " ".join(operands[1:]) or "this program"
        yield danger("overwrite", f"builds and installs {what} for the whole machine")


_MODULE = re.compile(r"[\w.-]+/.*@|(?:[\w-]+\.)+[a-z]{2,}/")


def _go(call: Call) -> Iterator[Effect]:
    operands = call.operands
    verb = operands[0] if operands else ""
    fetched = [word for word in operands[1:] if "/" in word and _MODULE.match(word)]
    if verb == "install" and fetched:
        yield danger("network-exec", f"fetches, builds and installs {' '.join(fetched)}")
    elif verb == "run" and "".join(operands[1:2]).endswith(".go"):
        yield Effect("script", operands[1])
    elif verb == "run" and operands[1:2] == tuple(fetched[:1]) and not _is_tool(fetched):
        yield danger("network-exec", f"fetches and runs {fetched[0]}")


def _is_tool(fetched: list[str]) -> bool:
    return not fetched or fetched[0].startswith(_TOOLS)


def _jvm(call: Call) -> Iterator[Effect]:
    """Yield the danger of a build task that publishes or that empties a database."""
    for operand in call.operands:
        name = operand.split(" ")[0].rpartition(":")[2] if call.name != "mvn" else operand
        lowered = name.lower().lstrip("+")
        if _OUT.match(lowered):
            yield danger("publish", f"runs the build's task {operand}, which publishes")
        elif _DATA.match(lowered):
            yield danger("database", f"runs the build's task {operand}, which empties a database")


def _composer(call: Call) -> Iterator[Effect]:
    operands = call.operands
    if operands[:1] in (("run",), ("run-script",)):
        operands = operands[1:]
    if operands[:1] == ("create-project",) and not _FRAMEWORKS.match("".join(operands[1:2])):
        yield danger("network-exec", f"fetches {''.join(operands[1:2])} and runs its scripts")
    if operands:
        yield from task(operands[0], operands[1:])


_GRADLE = Program(
    values="-p --project-dir -b --build-file -c -g -I --init-script -x --exclude-task --tests"
    " --configuration --console",
    dry="-m",
    handler=_jvm,
)

PROGRAMS = {
    "cargo": Program(
        values="--manifest-path --config -Z --color -C -p --package --features --target --bin"
        " --example --test --bench --profile -j --jobs --index --registry --token --version --git"
        " --branch --path -F -x -s",
        options={"--target-dir|--root": "write"},
        handler=_cargo,
    ),
    "cargo publish": Program(values="-p --package --registry --index --token", dry="-n"),
    "cargo watch": Program(values="-x --exec -w --watch -i", options={"-s|--shell": "run"}),
    "cargo run|r|test|t|bench|nextest": Program(
        values="-p --package --bin --example --features --target --test --bench --profile -F -j",
        stops=True,
    ),
    "rustup|rustup-init": Program(values="--toolchain"),
    "rustup run": Program("text command", stops=True),
    "go": Program(
        values="-C -ldflags -tags -run -bench -count -timeout -mod -modfile -gcflags -p -cpu -skip"
        " -coverpkg -covermode -benchtime -fuzz -fuzztime -overlay -pgo -json",
        options={"-o|-coverprofile|-cpuprofile|-memprofile": "write", "-exec|-toolexec": "run"},
        dashes="single",
        handler=_go,
    ),
    "gem": Program(
        values="-v --version -s --source -p --platform", options={"-i|--install-dir": "write"}
    ),
    "bundle|bundler": Program(values="--gemfile --jobs -j --retry --without --with --path"),
    "bundle|bundler exec": Program("command", "--gemfile", stops=True),
    "composer": Program(values="-d --working-dir", handler=_composer),
    "composer exec": Program("command", stops=True),
    "dotnet": Program(
        values="-c --configuration -f --framework -r --runtime -v --verbosity --filter -p --project"
        " --context -s --source -k --api-key --startup-project",
        options={"-o|--output": "write"},
        dashes="double",
    ),
    "nuget": Program(values="-Source -ApiKey -OutputDirectory", dashes="single"),
    "cabal|stack|opam|rebar3|luarocks|nimble|gleam|spago|elm": Program(),
    "stack|opam exec": Program("command", stops=True),
    "mvn|mvnw|mvnd": Program(
        values="-f --file -s --settings -pl --projects -P -T --threads -rf -l -gs -D",
        handler=_jvm,
    ),
    "gradle|gradlew": _GRADLE,
    "sbt|lein|mill|ant|boot|clojure|clj": Program(values="-f -buildfile", handler=_jvm),
    "cpan|cpanm|pod|dart|flutter|conan|vcpkg|goreleaser|jreleaser": Program(),
    "vsce|ovsx|web-ext|wasm-pack|code-push|gh-pages|mkdocs|mike|swift": Program(),
}

RULES = """
cargo|wasm-pack|gleam|nimble|spago|elm publish => publish: publishes the package for everybody
cargo yank|unyank            => publish: changes which version of {} others may use
cargo owner -a|--add|-r|--remove => publish: changes who owns the package {}
cargo login|logout           => persistence: changes the stored login
cargo uninstall|binstall|install-update => overwrite: changes the programs of the whole machine
cargo script|eval *://*      => network-exec: fetches and runs {}
cargo install --git          => network-exec: builds and installs code from the network
cargo release -x|--execute   => publish: releases the package for everybody
cargo workspaces|ws publish  => publish: releases the packages for everybody
cargo smart-release --execute|-e => publish: releases the packages for everybody
rustup self|default|update|install|uninstall|set => overwrite: changes the machine's Rust
rustup toolchain install|uninstall|remove|link => overwrite: changes the machine's Rust
rustup target|component remove => overwrite: changes the machine's Rust
bundle|bundler add|inject --git|--github|--path=/tmp* => network-exec: takes code from {}
opam pin|install ... *://*|git@*|git+* => network-exec: builds and installs {}
dub run|fetch * !. => network-exec: fetches and runs {}
raco pkg install|update => overwrite: installs packages for the user
kotlin|kotlinc|scala|scala-cli|groovy|jbang ... http*://* => network-exec: runs code from {}
go env -w|-u                 => persistence: changes the settings of every project

gem install|i|uninstall|update|cleanup|pristine !-i|--install-dir \
    => overwrite: changes the gems of the whole machine: {}
gem specific_install         => network-exec: builds and installs {} from the network
gem push|yank                => publish: changes what others install: {}
gem owner -a|--add|-r|--remove => publish: changes who owns the gem {}
gem signin|signout           => persistence: changes the stored login
gem sources|source -a|--add|-r|--remove|-c|--clear-all => persistence: changes where gems come from
bundle|bundler config --global => persistence: changes the settings of every project
bundle|bundler config set --global => persistence: changes the settings of every project
bundle|bundler clean --force => overwrite: removes gems of the whole machine
composer global require|update|remove|install \
    => overwrite: changes the packages of the whole machine
composer config -g|--global  => persistence: changes the settings of every project
composer create-project|require --repository=*://*|--repository-url=*://* \
    => network-exec: takes packages from elsewhere
composer self-update|selfupdate => overwrite: replaces composer itself

nuget push|delete            => publish: changes what others install: {}
nuget setapikey              => persistence: stores a key for the registry
nuget sources add|remove|update|disable => persistence: changes where packages come from
dotnet nuget push|delete     => publish: changes what others install: {}
dotnet nuget add|remove|update|disable source => persistence: changes where packages come from
dotnet tool install|uninstall|update -g|--global \
    => overwrite: changes the tools of the whole machine
dotnet workload install|uninstall|update|repair|clean => overwrite: changes the machine's .NET
dotnet ef database drop      => database: drops the database
dotnet ef database update 0  => database: undoes every migration
dotnet user-secrets list     => exfiltration: shows the project's secrets
dotnet user-secrets clear|remove => delete: deletes the project's secrets
dotnet dev-certs --trust|--clean => privilege: changes which certificates the machine trusts

mix ... hex.publish|hex.retire => publish: changes what others install
mix hex.owner|hex.organization|hex.user * => publish: changes owners or keys at the registry
mix archive.install|escript.install|archive.uninstall|escript.uninstall \
    => overwrite: changes the tools of the whole machine
rebar3 hex publish|retire|owner => publish: changes what others install
cabal|stack|luarocks|opam upload|publish => publish: publishes the package for everybody
cabal install !--lib|--only-dependencies|--installdir* \
    => overwrite: installs programs for the whole machine
stack install|upgrade        => overwrite: installs programs for the whole machine
opam install !--deps-only|.|./. => overwrite: changes the packages of the whole machine: {}
opam remove|upgrade|uninstall => overwrite: changes the packages of the whole machine: {}
opam switch remove           => delete: deletes an environment
opam init !--no-setup|-n     => persistence: changes the shell's start files
opam repository|repo|remote add|remove|set-url => persistence: changes where packages come from
luarocks install|make|remove|purge !--local|--tree* \
    => overwrite: changes the packages of the whole machine: {}
nimble install|uninstall !--depsOnly|-d => overwrite: changes the packages of the whole machine: {}

mvn|mvnw|mvnd ... deploy     => publish: publishes the build for everybody
mvn|mvnw|mvnd ... release:*  => publish: releases the project
mvn|mvnw|mvnd ... deploy:*|*:deploy|nexus-staging:*|jreleaser:*|site-deploy|scm-publish:* \
    => publish: publishes the build for everybody
mvn|mvnw|mvnd ... flyway:clean|liquibase:dropAll|flyway:undo|liquibase:rollback \
    => database: empties or undoes a database

cpan|cpanm !-L|--local-lib*|-l|-D|-a|-v|--installdeps * \
    => overwrite: installs {} for the whole machine
pod trunk push|delete|deprecate|add-owner|remove-owner => publish: changes what others install
pod repo push                => publish: publishes the package for others
dart|flutter pub publish     => publish: publishes the package for everybody
dart|flutter pub global activate|deactivate => overwrite: changes the tools of the whole machine
flutter upgrade|downgrade|channel * => overwrite: changes the machine's Flutter
conan upload                 => publish: uploads packages for others
conan remote add|remove      => persistence: changes where packages come from
goreleaser release !--snapshot|--skip-publish|--skip=publish => publish: releases the project
snapcraft|charmcraft upload|push|release|promote|close|upload-metadata \
    => publish: releases {} for everybody
copr|copr-cli build|delete|create|modify|delete-package => publish: changes what others install
dput|dput-ng|debrelease      => publish: uploads packages for others
osc commit|ci|delete|submitrequest|sr => publish: changes packages on the server
goreleaser publish|announce  => publish: releases the project
jreleaser release|full-release|deploy|upload|publish|announce => publish: releases the project
fastlane deliver|pilot|supply|deploy|release|beta|upload_* => publish: sends the app to the store
fastlane * deploy|release|beta|production|publish => publish: sends the app to the store
fastlane match nuke          => publish: revokes the certificates of the team
vsce|ovsx publish|unpublish  => publish: changes the extension for everybody
web-ext sign                 => publish: submits the extension
eas submit|update|credentials => publish: sends the app to others
code-push|appcenter release*|promote|rollback => publish: sends the app to others
gh-pages                     => publish: publishes a folder as a web site
mkdocs gh-deploy             => publish: publishes the documentation
mike deploy|delete|set-default --push|-p => publish: publishes the documentation
swift package-registry publish|login => publish: publishes the package for everybody
deno publish                 => publish: publishes the package for everybody
deno install -g|--global     => overwrite: installs a program for the whole machine
deno upgrade                 => overwrite: replaces deno itself
deno run|serve http://*|https://*|npm:*|jsr:* => network-exec: fetches and runs {}
"""
