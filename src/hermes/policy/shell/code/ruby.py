"""Tell what Ruby code does by its risky calls."""

from __future__ import annotations

import re

from hermes.policy.shell.code import folds
from hermes.policy.shell.code.findings import Language
from hermes.policy.shell.code.risky import risky_effects
from hermes.policy.shell.code.scanning import syntax
from hermes.policy.shell.effects import UNKNOWN, Effect

_SYNTAX = syntax(
    comments=r"\#[^\n]*|(?:(?<=\n)|^)=begin.*?\n=end[^\n]*",
    raw=r"'(?:[^'\\]|\\.)*(?:'|\Z)",
    texts=r'"(?:[^"\\]|\\.)*(?:"|\Z)',
    word=r"[$@:]{0,2}[A-Za-z_]\w*[?!]?",
    hole=r"\#\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}",
    quotes=r"%(?P<quote>[qQxwWiIr])(?=[^\w\s])[^\w\s]|%(?P<bare>)(?=[({\[])(?!)",
    has_slash_patterns=True,
)
_TREES = ("rm_rf", "rm_r", "rmtree", "remove_dir", "remove_entry", "remove_entry_secure")
_RULES = {
    "system": "run", "exec": "run", "spawn": "run", "Kernel.system": "run", "Kernel.exec": "run",
    "Kernel.spawn": "run", "Process.spawn": "run", "IO.popen": "run_first", "popen": "run_first",
    "PTY.spawn": "run", "sh": "run",
    "Open3.capture2": "run", "Open3.capture2e": "run", "Open3.capture3": "run",
    "Open3.popen3": "run", "Open3.popen2": "run", "Open3.popen2e": "run",
    "File.delete": "deletes", "File.unlink": "deletes", "Dir.rmdir": "deletes",
    "Dir.delete": "deletes", "Dir.unlink": "deletes", "File.write": "write:0",
    "IO.write": "write:0", "IO.binwrite": "write:0", "File.binwrite": "write:0",
    "File.truncate": "write:0", "File.rename": "move", "File.chmod": "changed",
    "File.chown": "changed", "File.symlink": "write:1", "File.open": "open:0", "File.new": "open:0",
    "File.read": "read:0", "IO.read": "read:0", "File.readlines": "read:0",
    "File.foreach": "read:0", "IO.readlines": "read:0", "Dir.mkdir": "write:0",
    "Dir.children": "listing:0", "Dir.entries": "listing:0", "Dir.each_child": "listing:0",
    "Dir.foreach": "listing:0",
    "YAML.load_file": "read:0", "JSON.load_file": "read:0", "CSV.read": "read:0",
    **{f"FileUtils.{name}": "trees" for name in _TREES},
    "FileUtils.rm": "deletes", "FileUtils.rm_f": "deletes", "FileUtils.rmdir": "deletes",
    "FileUtils.mv": "move", "FileUtils.move": "move", "FileUtils.cp": "copy",
    "FileUtils.cp_r": "copy", "FileUtils.copy": "copy", "FileUtils.mkdir_p": "writes",
    "FileUtils.touch": "writes", "FileUtils.ln_s": "write:1", "FileUtils.ln_sf": "write:1",
    "FileUtils.chmod": "changed", "FileUtils.chmod_R": "changed", "FileUtils.chown_R": "changed",
    **dict.fromkeys(_TREES, "trees"),
    "Net.HTTP.get": "fetch:0", "Net.HTTP.get_response": "fetch:0", "URI.open": "fetch:0",
    "Net.HTTP.start": "fetch:0", "open": "open:0", "Net.HTTP.post": "send:0",
    "Net.HTTP.post_form": "send:0", "HTTParty.get": "fetch:0", "HTTParty.post": "send:0",
    "Faraday.get": "fetch:0", "Faraday.post": "send:0", "RestClient.get": "fetch:0",
    "RestClient.post": "send:0", "URI.parse.read": "fetch:0",
    "TCPSocket.open": "connect", "TCPSocket.new": "connect", "Socket.tcp": "connect",
    "Process.kill": "kill", "fork": "fork", "Process.fork": "fork", "Process.daemon": "fork",
    "eval": "eval:0", "instance_eval": "eval:0", "class_eval": "eval:0", "Kernel.eval": "eval:0",
    "load": "script:0", "require": "script:0", "puts": "show", "p": "show", "print": "show",
    "pp": "show", "warn": "show", "$stdout.puts": "show", "STDOUT.puts": "show",
    "Process.Sys.setuid": "rights", "Fiddle.dlopen": "native", "Marshal.load": "opaque_data",
    "*.reopen": "duplicate", "*.execute": "sql:0", "*.delete_all": "delete_all",
    "*.destroy_all": "delete_all",
}  # fmt: skip


def effects(code: str) -> list[Effect]:
    """Return what Ruby code does besides computing and printing."""
    return risky_effects(code, _LANGUAGE)


_LANGUAGE = Language(
    _SYNTAX,
    _RULES,
    {
        "File.join": folds.joined,
        "File.expand_path": folds.first,
        "Dir.home": lambda _: "~",
        "Dir.pwd": lambda _: ".",
        "Dir.tmpdir": lambda _: "/tmp",
        "Dir.mktmpdir": lambda _: f"/tmp/{UNKNOWN}",
        "Dir.glob": folds.first,
        "Dir": folds.first,
        "ENV": folds.home,
        "URI": folds.first,
        "URI.parse": folds.first,
        "Pathname.new": folds.first,
        "Base64.decode64": folds.from_base64,
        "Base64.strict_decode64": folds.from_base64,
    },
    re.compile(
        r"\bENV"
        r"(?: \. (?:to_h|to_a|inspect|map|each|to_hash|values)|(?! [\[.]))\b"
        r"|\bENV\.(?:to_h|inspect)"
    ),
    re.compile(r"\bENV ?(?:\[|\. ?fetch ?\(?) ?[\"']?(\w+)"),
    is_bare=True,
    prepare=lambda code: code.name_items("|", "Dir"),
)
