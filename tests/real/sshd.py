"""A real SSH server of a test's own: a high port, its own keys, its own folder."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

CONFIG = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/hostkey
PidFile {folder}/sshd.pid
AuthorizedKeysFile {folder}/authorized_keys
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
Subsystem sftp internal-sftp
MaxSessions 50
MaxStartups 50
SetEnv HOME={folder}/home
"""
CLIENT = """\
Host box
  HostName 127.0.0.1
  Port {port}
  User {user}
  IdentityFile {folder}/key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  GlobalKnownHostsFile /dev/null
Host behind
  HostName 127.0.0.1
  Port {port}
  User {user}
  IdentityFile {folder}/key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  GlobalKnownHostsFile /dev/null
  ProxyJump box
Host shared
  HostName 127.0.0.1
  Port {port}
  User {user}
  IdentityFile {folder}/key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  GlobalKnownHostsFile /dev/null
  ControlMaster auto
  ControlPath {folder}/%C
  ControlPersist 30
Host unknown
  HostName 127.0.0.1
  Port {port}
  User {user}
  IdentityFile {folder}/key
  UserKnownHostsFile {folder}/no_hosts
  GlobalKnownHostsFile /dev/null
Host stranger
  HostName 127.0.0.1
  Port {port}
  User {user}
  IdentityFile {folder}/other
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  GlobalKnownHostsFile /dev/null
Host closed
  HostName 127.0.0.1
  Port 1
"""


def missing():
    """Return what this machine lacks for a server of a test's own."""
    names = ("sshd", "ssh", "ssh-keygen")
    lacking = [name for name in names if find(name) is None]
    if lacking:
        return f"{', '.join(lacking)} is missing (scripts/parts)"
    return "" if os.geteuid() == 0 else "a server needs root to start sessions here"


def find(name):
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/bin")


class Sshd:
    """The server, and what a client needs to reach it."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.port = free_port()
        (self.folder / "home").mkdir()
        for name in ("hostkey", "key", "other"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / name))
        shutil.copy(self.folder / "key.pub", self.folder / "authorized_keys")
        host = (self.folder / "hostkey.pub").read_text()
        (self.folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {host}")
        user = os.environ.get("USER") or "root"
        words = {"port": self.port, "folder": self.folder, "user": user}
        (self.folder / "sshd_config").write_text(CONFIG.format(**words))
        self.config = self.folder / "ssh_config"
        self.config.write_text(CLIENT.format(**words))
        self.process = None

    def start(self):
        os.makedirs("/run/sshd", exist_ok=True)
        words = [find("sshd"), "-D", "-e", "-f", str(self.folder / "sshd_config")]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(words, stderr=log, stdin=subprocess.DEVNULL)
        wait_for(self.port)

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait(5)
            self.process = None


def run(*words):
    subprocess.run(words, check=True, capture_output=True, timeout=20)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    until = time.monotonic() + 5
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.01)
    raise TimeoutError(f"nothing listens on port {port}")
