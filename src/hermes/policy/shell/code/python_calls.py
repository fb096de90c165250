"""What the calls of Python's libraries do to files, processes, networks and databases.

A rule is a line of words, each ``verb:place:name``: what is done to the argument at that place or
of that name. Verbs that need more than a path are functions in ``python_deeds``.
"""

from __future__ import annotations

RULES: dict[str, str] = {
    "os.remove": "delete:0:path",
    "os.unlink": "delete:0:path",
    "os.rmdir": "delete:0:path",
    "os.removedirs": "delete:0:name",
    "shutil.rmtree": "tree:0:path",
    "distutils.dir_util.remove_tree": "tree:0:directory",
    "send2trash.send2trash": "tree:0:paths",
    "os.rename": "moved:0:src write:1:dst",
    "os.renames": "moved:0:old write:1:new",
    "os.replace": "write:0:src write:1:dst",
    "shutil.move": "moved:0:src write:1:dst",
    **{
        f"shutil.{name}": "read:0:src write:1:dst"
        for name in ("copy", "copy2", "copyfile", "copytree", "copymode", "copystat")
    },
    "shutil.chown": "write:0:path",
    "shutil.make_archive": "write:0:base_name read:2:root_dir",
    "shutil.unpack_archive": "read:0:filename write:1:extract_dir",
    "os.truncate": "write:0:path",
    "os.chmod": "write:0:path",
    "os.lchmod": "write:0:path",
    "os.chown": "write:0:path",
    "os.lchown": "write:0:path",
    "os.utime": "write:0:path",
    "os.mkdir": "write:0:path",
    "os.makedirs": "write:0:name",
    "os.mkfifo": "write:0:path",
    "os.mknod": "write:0:path",
    "os.link": "read:0:src write:1:dst",
    "os.symlink": "write:1:dst",
    "open": "open:0:file",
    "io.open": "open:0:file",
    "codecs.open": "open:0:filename",
    "gzip.open": "open:0:filename",
    "bz2.open": "open:0:filename",
    "lzma.open": "open:0:filename",
    "aiofiles.open": "open:0:file",
    "tarfile.open": "open:0:name",
    "zipfile.ZipFile": "open:0:file",
    "file": "open:0:name",
    "os.open": "os_open",
    "fileinput.input": "fileinput",
    "linecache.getlines": "read:0:filename",
    "os.listdir": "listing:0:path",
    "os.scandir": "listing:0:path",
    "os.walk": "walk:0:top",
    "glob.glob": "glob",
    "glob.iglob": "glob",
    "os.chdir": "chdir:0:path",
    "os.system": "run:0:command",
    "os.popen": "run:0:cmd",
    "commands.getoutput": "run:0:cmd",
    "commands.getstatusoutput": "run:0:cmd",
    "pty.spawn": "run:0:argv",
    "pexpect.spawn": "run:0:command",
    "pexpect.run": "run:0:command",
    "os.startfile": "run:0:path",
    **{
        f"subprocess.{name}": "run:0:args"
        for name in ("run", "call", "check_call", "check_output", "Popen", "getoutput",
                     "getstatusoutput")
    },
    "asyncio.create_subprocess_shell": "run:0:cmd",
    "asyncio.create_subprocess_exec": "argv_rest:0",
    "sh.Command": "run:0:path",
    **{f"os.exec{end}": "argv_list:1" for end in ("v", "ve", "vp", "vpe")},
    **{f"os.exec{end}": "argv_rest:1" for end in ("l", "le", "lp", "lpe")},
    **{f"os.spawn{end}": "argv_list:2" for end in ("v", "ve", "vp", "vpe")},
    **{f"os.spawn{end}": "argv_rest:2" for end in ("l", "le", "lp", "lpe")},
    "os.posix_spawn": "argv_list:1",
    "os.posix_spawnp": "argv_list:1",
    "runpy.run_path": "script:0:path_name",
    "execfile": "script:0:filename",
    "exec": "execute",
    "eval": "execute",
    "compile": "compile",
    "__import__": "load",
    "importlib.import_module": "load",
    "getattr": "attribute",
    "setattr": "nothing",
    "map": "mapped",
    "filter": "mapped",
    "print": "show",
    "pprint.pprint": "show",
    "pprint.pp": "show",
    "sys.stdout.write": "show",
    "sys.stderr.write": "show",
    "sys.exit": "show",
    **{f"logging.{level}": "show" for level in ("debug", "info", "warning", "error")},
    "os.getenv": "variable",
    "os.environ.get": "variable",
    "os.environ.pop": "variable",
    "os.environ.keys": "nothing",
    "os.environ.update": "nothing",
    "os.environ.setdefault": "variable",
    "os.kill": "kill",
    "os.killpg": "kill_group",
    "os.fork": "fork",
    "os.forkpty": "fork",
    "os.dup2": "duplicate",
    "os.setuid": "raise_rights",
    "os.setgid": "raise_rights",
    "os.seteuid": "raise_rights",
    "os.reboot": "halt",
    "urllib.request.urlopen": "fetch:0:url",
    "urllib2.urlopen": "fetch:0:url",
    "urllib.urlopen": "fetch:0:url",
    "urllib.request.Request": "request",
    "urllib2.Request": "request",
    "urllib.request.urlretrieve": "retrieve",
    "urllib.urlretrieve": "retrieve",
    "wget.download": "retrieve",
    **{
        f"{owner}.{verb}": "fetch:0:url"
        for owner in ("requests", "requests.Session()", "requests.session()", "httpx",
                      "httpx.Client()", "httpx.AsyncClient()", "aiohttp.ClientSession()",
                      "urllib3.PoolManager()")
        for verb in ("get", "head", "options", "stream")
    },
    **{
        f"{owner}.{verb}": "upload:0:url"
        for owner in ("requests", "requests.Session()", "requests.session()", "httpx",
                      "httpx.Client()", "httpx.AsyncClient()", "aiohttp.ClientSession()")
        for verb in ("post", "put", "patch", "delete")
    },
    **{
        f"{owner}.request": "any_request"
        for owner in ("requests", "requests.Session()", "httpx", "httpx.Client()",
                      "urllib3.PoolManager()", "aiohttp.ClientSession()")
    },
    "http.client.HTTPConnection": "connect",
    "http.client.HTTPSConnection": "connect",
    "httplib.HTTPSConnection": "connect",
    "http.client.HTTPConnection().request": "wire_request",
    "http.client.HTTPSConnection().request": "wire_request",
    "httplib.HTTPSConnection().request": "wire_request",
    "socket.create_connection": "connect",
    "socket.socket().connect": "connect",
    "socket.socket().connect_ex": "connect",
    "socket.socket().bind": "listen",
    "socket.create_server": "listen",
    "socket.socket().sendto": "wire_send",
    "socket.socket().send": "wire_send",
    "socket.socket().sendall": "wire_send",
    "socket.create_connection().send": "wire_send",
    "socket.create_connection().sendall": "wire_send",
    "socket.socket().recv": "received",
    "socket.create_connection().recv": "received",
    "smtplib.SMTP": "connect",
    "smtplib.SMTP_SSL": "connect",
    "smtplib.SMTP().sendmail": "wire_send",
    "smtplib.SMTP().send_message": "wire_send",
    "smtplib.SMTP_SSL().sendmail": "wire_send",
    "smtplib.SMTP_SSL().send_message": "wire_send",
    "ftplib.FTP": "connect",
    "ftplib.FTP().storbinary": "wire_send",
    "ftplib.FTP().storlines": "wire_send",
    "telnetlib.Telnet": "connect",
    "ctypes.CDLL": "native",
    "ctypes.cdll.LoadLibrary": "native",
    "ctypes.PyDLL": "native",
    "ctypes.memmove": "native",
    "cffi.FFI().dlopen": "native",
    "pickle.loads": "unpickle",
    "cPickle.loads": "unpickle",
    "dill.loads": "unpickle",
    "marshal.loads": "unpickle",
    "sqlite3.connect": "sqlite",
    "tempfile.NamedTemporaryFile": "scratch",
    "tempfile.TemporaryFile": "scratch",
    "tempfile.TemporaryDirectory": "scratch_folder",
    "django.core.management.call_command": "django_command",
    "webbrowser.open": "fetch:0:url",
    "keyring.get_password": "keyring",
    "fabric.Connection().run": "remote_command",
    "fabric.Connection().sudo": "remote_command",
    "invoke.run": "run:0:command",
    **{f"pandas.{name}": "read:0:io" for name in ("read_csv", "read_json", "read_excel")},
}  # fmt: skip

METHODS: dict[str, str] = {
    "execute": "sql",
    "executescript": "sql",
    "executemany": "sql",
    "exec_driver_sql": "sql",
    "write_text": "write_unknown",
    "write_bytes": "write_unknown",
    "to_csv": "write:0:path_or_buf",
    "to_json": "write:0:path_or_buf",
    "to_excel": "write:0:excel_writer",
    "to_parquet": "write:0:path",
    "savefig": "write:0:fname",
    "unlink": "delete_unknown",
    "rmtree": "delete_unknown",
    "drop_all": "drop_all",
    "flushall": "flush_all",
    "flushdb": "flush_all",
    "exec_command": "remote_command",
    "__subclasses__": "internals",
    "drop_database": "drop_database",
}
"""Rules for a method of something unknown, by its name alone."""

ANYWHERE = frozenset(
    ("execute", "executescript", "drop_all", "flushall", "flushdb", "drop_database")
)
"""Methods that say what they do whoever has them."""

PATH_METHODS: dict[str, str] = {
    "write_text": "write",
    "write_bytes": "write",
    "touch": "write",
    "mkdir": "write",
    "chmod": "write",
    "symlink_to": "write",
    "hardlink_to": "write",
    "unlink": "delete",
    "rmdir": "delete",
    "read_text": "read",
    "read_bytes": "read",
}
"""What the methods of a pathlib path do to the path."""

STAR_MODULES = ("os", "shutil", "subprocess", "socket", "pathlib", "urllib.request", "requests")
"""Modules whose names are looked for after ``from x import *``."""

CLOUDS = (
    "boto3.", "googleapiclient.", "google.cloud.", "azure.", "kubernetes.", "docker.", "github.",
    "gitlab.", "digitalocean.", "hcloud.", "openstack.", "stripe.", "heroku3.", "cloudflare.",
)  # fmt: skip
CLOUD_VERBS = (
    "delete", "terminate", "put", "remove", "drop", "destroy", "purge", "stop", "empty", "prune",
)  # fmt: skip
"""Beginnings of methods that change what a service keeps."""
