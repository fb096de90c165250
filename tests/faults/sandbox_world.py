"""A small world around a sandbox: what could be stolen or changed, and how to see that it was."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import stat
import subprocess
import sys
import uuid
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from hermes.environments.sandbox.box import make_box
from hermes.environments.sandbox.bubblewrap import Bubblewrap
from hermes.environments.sandbox.choose import problem
from hermes.environments.sandbox.landlock import Landlock
from hermes.environments.sandbox.run import Sandbox

BACKENDS = {
    "bubblewrap": Bubblewrap(),
    "landlock": Landlock(),
    "landlock-alone": Landlock(namespaces=False),
}
CANARY = "canary-7f3d9c"
PLANTED = [
    "/etc/cron.d/hermes-planted", "/etc/profile.d/hermes-planted.sh", "/opt/hermes-planted",
    "/usr/local/bin/hermes-planted", "/etc/ld.so.preload-planted", "/hermes-planted",
    "/tmp/hermes-planted", "/var/tmp/hermes-planted", "/dev/shm/hermes-planted",
    "/sys/fs/cgroup/hermes-planted", "/sys/fs/cgroup/pids/hermes-planted",
]  # fmt: skip
CANARY_NAMES = (
    "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID", "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY",
    "HF_TOKEN", "GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "NPM_TOKEN", "PYPI_TOKEN",
    "TWINE_PASSWORD", "DOCKER_PASSWORD", "DOCKER_HOST", "SSH_AUTH_SOCK", "GPG_AGENT_INFO",
    "DATABASE_URL", "REDIS_URL", "MONGO_URI", "PGPASSWORD", "MYSQL_PWD", "SLACK_BOT_TOKEN",
    "TELEGRAM_BOT_TOKEN", "DISCORD_TOKEN", "STRIPE_SECRET_KEY", "SENTRY_DSN", "VAULT_TOKEN",
    "KUBECONFIG", "GOOGLE_APPLICATION_CREDENTIALS", "AZURE_CLIENT_SECRET", "CLOUDFLARE_API_TOKEN",
    "DBUS_SESSION_BUS_ADDRESS", "HERMES_HOME", "LD_PRELOAD",
)  # fmt: skip
PASSED = (
    "OUT", "SECRET", "HERMES", "TCP", "UDP", "ABSTRACT", "UNIX", "VICTIM", "VICTIM_NAME", "TESTER",
    "FD", "MARK",
)  # fmt: skip
PYTHON = os.path.realpath(sys.executable)
IPC_KEY = 0x48524D53
libc = ctypes.CDLL(None, use_errno=True)


@pytest.fixture(scope="module", params=list(BACKENDS))
def sandbox(request):
    """Return a sandbox of each backend that this machine has."""
    backend = BACKENDS[request.param]
    if reason := problem(backend):
        pytest.skip(reason)
    with Sandbox(backend) as made:
        yield made


@pytest.fixture
def world(tmp_path):
    """Return a fresh world, and take it down afterwards."""
    made = World(tmp_path)
    yield made
    made.close()


class World:
    """Folders, sockets and a process of the host, around one box."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = f"hermes-mark-{uuid.uuid4().hex}"
        self.workspace, self.outside = folder / "workspace", folder / "outside"
        self.home, self.hermes = folder / "home", folder / "hermes"
        self._fill()
        self._listen()
        command = ["bash", "-c", f"exec -a {self.mark}-victim sleep 1000"]
        self.victim = subprocess.Popen(command, env={"SECRET": CANARY}, start_new_session=True)
        self.secret_fd = os.open(self.home / ".ssh" / "id_rsa", os.O_RDONLY)
        os.set_inheritable(self.secret_fd, True)
        self.memory = libc.shmget(IPC_KEY, 4096, 0o1666)
        self.before = self.state()

    def box(self, **wanted):
        made = make_box(self.workspace, home=self.home, hermes_home=self.hermes, **wanted)
        return replace(
            made,
            readable=(*made.readable, sys.base_prefix),
            variables=(*made.variables, *PASSED),
        )

    def environment(self) -> dict[str, str]:
        canaries = {name: f"{CANARY}-{name}" for name in CANARY_NAMES}
        return canaries | {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": str(self.home),
            "OUT": str(self.outside),
            "SECRET": str(self.home / ".ssh" / "id_rsa"),
            "HERMES": str(self.hermes),
            "TCP": str(self.tcp.getsockname()[1]),
            "UDP": str(self.udp.getsockname()[1]),
            "ABSTRACT": self.mark,
            "UNIX": str(self.folder / "u"),
            "VICTIM": str(self.victim.pid),
            "VICTIM_NAME": f"{self.mark}-victim",
            "TESTER": str(os.getpid()),
            "FD": str(self.secret_fd),
            "MARK": self.mark,
        }

    def state(self) -> dict[str, object]:
        """Return everything that no command may change."""
        return {
            "victim": self._facts_of_victim(),
            "outside": tree(self.outside),
            "home": tree(self.home),
            "hermes": tree(self.hermes),
            "protected": self._protected(),
            "beside": sorted(path.name for path in self.folder.iterdir()),
            "planted": [path for path in PLANTED if os.path.lexists(path)],
            "host": socket.gethostname(),
            "core": Path("/proc/sys/kernel/core_pattern").read_text(encoding="utf-8"),
            "reached": self._reached(),
        }

    def _facts_of_victim(self) -> object:
        try:
            victim = psutil.Process(self.victim.pid)
            is_stopped = victim.status() == psutil.STATUS_STOPPED
            limits = victim.rlimit(psutil.RLIMIT_NOFILE)
            return self.victim.poll(), is_stopped, victim.nice(), victim.cpu_affinity(), limits
        except psutil.Error as error:
            return type(error).__name__

    def left_over(self) -> list[int]:
        """Return the processes that commands left behind."""
        found = []
        for process in psutil.process_iter(["cmdline"]):
            words = process.info["cmdline"]
            if words and words[0] == self.mark:
                found.append(process.pid)
        return found

    def close(self) -> None:
        self.victim.send_signal(signal.SIGKILL)
        self.victim.wait()
        for opened in (self.tcp, self.udp, self.abstract, self.unix, self.datagrams):
            opened.close()
        os.close(self.secret_fd)
        libc.shmctl(self.memory, 0, None)

    def _fill(self) -> None:
        for path, text in {
            "outside/kept": "kept",
            "home/.ssh/id_rsa": f"{CANARY} key",
            "home/.aws/credentials": f"{CANARY} aws",
            "home/.netrc": f"{CANARY} netrc",
            "home/.config/gh/hosts.yml": f"{CANARY} gh",
            "home/.bashrc": "alias ll=ls",
            "hermes/state.db": f"{CANARY} state",
            "hermes/config.yaml": f"{CANARY} config",
            "workspace/README": "hello",
            "workspace/.git/HEAD": "ref: refs/heads/main\n",
            "workspace/.git/config": "[core]\n\trepositoryformatversion = 0\n",
            "workspace/.git/hooks/kept": "#!/bin/sh\n",
            "workspace/.git/info/exclude": "*.o\n",
            "workspace/.git/objects/.keep": "",
            "workspace/.git/refs/.keep": "",
        }.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text, encoding="utf-8")

    def _listen(self) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0{self.mark}")
        self.unix = socket.socket(socket.AF_UNIX)
        self.datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        here = os.getcwd()
        os.chdir(self.folder)  # the whole path may be too long for a socket
        self.unix.bind("u")
        self.datagrams.bind("u.dgram")
        os.chdir(here)
        for opened in (self.abstract, self.unix):
            opened.listen()
        for opened in (self.tcp, self.udp, self.abstract, self.unix, self.datagrams):
            opened.setblocking(False)

    def _protected(self) -> dict[str, object]:
        git = self.workspace / ".git"
        kept = {name: tree(git / name) for name in ("config", "hooks", "info")}
        names = (
            ".github", ".husky", ".vscode", ".idea", ".envrc", ".mcp.json", ".hermes",
        )  # fmt: skip
        return kept | {name: tree(self.workspace / name) for name in names}

    def _reached(self) -> list[str]:
        reached = []
        for name in ("tcp", "udp", "abstract", "unix", "datagrams"):
            opened = getattr(self, name)
            try:
                if opened.type == socket.SOCK_STREAM:
                    opened.accept()[0].close()
                else:
                    opened.recv(100)
            except BlockingIOError:
                continue
            reached.append(name)
        return reached


def tree(path: Path) -> object:
    """Return all there is to know about a file or folder, empty folders aside."""
    if not os.path.lexists(path):
        return None
    facts = path.lstat()
    if stat.S_ISDIR(facts.st_mode):
        found = {child.name: tree(child) for child in sorted(path.iterdir())}
        return {name: below for name, below in found.items() if below is not None} or None
    text = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
    return facts.st_mode, facts.st_uid, facts.st_gid, facts.st_nlink, facts.st_mtime_ns, text
