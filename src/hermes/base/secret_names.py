"""Judge by its name whether a variable or a field holds a secret, and which part of it is one."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET = frozenset((
    "AUTH", "AUTHORIZATION", "BEARER", "COOKIE", "COOKIES", "CREDENTIAL", "CREDENTIALS", "CREDS",
    "DSN", "JWT", "KEY", "KEYS", "OTP", "PASSCODE", "PASSPHRASE", "PASSWD", "PASSWORD",
    "PASSWORDS", "PWD", "SECRET", "SECRETS", "TOKEN", "WEBHOOK", "WEBHOOKS",
))  # fmt: skip
_SECRET_ENDINGS = ("PASSWORD", "PASSWD", "SECRET", "TOKEN", "APIKEY", "PASSPHRASE")
# Too short to be sure of anywhere but at the end of a longer name: GITHUB_PAT, STRIPE_SK, DB_PASS.
_SECRET_LAST = frozenset(["PAT", "SK", "PASS"])
_ABOUT = frozenset((
    "ALGORITHM", "DIR", "DOMAIN", "ENABLED", "ENDPOINT", "ENV", "EXPIRES", "EXPIRY", "FILE",
    "HEADER", "HOME", "HOST", "JAR", "LENGTH", "METHOD", "MODE", "NAME", "NAMES", "PATH",
    "POLICY", "PORT", "PREFIX", "PROVIDER", "REQUIRED", "SCHEME", "SCOPE", "SIZE", "SOCK",
    "SOCKET", "STATUS", "TIMEOUT", "TTL", "TYPE", "URI", "URL", "VERSION",
))  # fmt: skip
_OPEN = frozenset(["PUBLIC", "COUNT", "PAGE", "NEXT", "MAX", "LIMIT"])
_OPEN_KEYS = frozenset((
    "ARROW", "CACHE", "COLUMN", "DEDUP", "FOREIGN", "FUNCTION", "GROUP", "HOT", "IDEMPOTENCY",
    "INDEX", "JSON", "LOOKUP", "MAP", "OBJECT", "ORDER", "PARTITION", "PRIMARY", "ROUTING", "ROW",
    "SEARCH", "SORT", "UNIQUE",
))  # fmt: skip
_OPEN_PASSES = frozenset(["BY", "FIRST", "LAST", "ONE", "SECOND", "TWO"])
_NEVER = frozenset(["PWD", "OLDPWD", "GPG_KEY", "KEY", "KEYS"])
_SERVERS = frozenset((
    "AMQP", "BROKER", "CELERY", "CLICKHOUSE", "DATABASE", "DB", "LDAP", "MARIADB", "MONGO",
    "MONGODB", "MSSQL", "MYSQL", "PG", "POSTGRES", "POSTGRESQL", "RABBITMQ", "REDIS", "SMTP",
    "SQLALCHEMY",
))  # fmt: skip
_URL = re.compile(
    r"[a-zA-Z][a-zA-Z0-9+.-]{1,30}://(?:(?P<user>[^\s/@:?#]*)(?::(?P<password>[^\s/@]*))?@)?"
)


def is_secret_name(name: str) -> bool:
    """Say whether a variable or field of this name holds a secret, judged by its whole words."""
    if name.upper() in _NEVER:
        return False
    words = _words(name)
    if not words or not _OPEN.isdisjoint(words):
        return False
    if _is_address(words) or words[-2:] == ["CONNECTION", "STRING"]:
        return True
    if words[-1] in _ABOUT:
        return words[-1] in {"URL", "URI"} and "WEBHOOK" in words
    return any(_is_secret_word(words, at) for at in range(len(words)))


def secret_part(name: str, value: str) -> str:
    """Return what is secret in the value of a secret's name: in an address only the password."""
    start, end = _span(name, value)
    return value[start:end]


def masked(name: str, value: str, word: str) -> str:
    """Return the value of a secret's name with a word in place of what is secret."""
    start, end = _span(name, value)
    return f"{value[:start]}{word}{value[end:]}" if start < end else value


def _span(name: str, value: str) -> tuple[int, int]:
    address = _URL.match(value)
    if address is None:
        return 0, len(value)
    if address["password"]:
        return address.span("password")
    words = _words(name)
    if "DSN" in words and address["user"]:
        return address.span("user")
    return (0, 0) if _is_address(words) else (0, len(value))


def _words(name: str) -> list[str]:
    return [word.upper() for word in _WORD.findall(name)]


def _is_address(words: list[str]) -> bool:
    """Say whether this is where a server is found, perhaps with the password in it."""
    if words[-1:] == ["DSN"]:
        return True
    return words[-1:] in (["URL"], ["URI"]) and not _SERVERS.isdisjoint(words)


def _is_secret_word(words: list[str], at: int) -> bool:
    word, before = words[at], words[at - 1] if at else ""
    if word in {"KEY", "KEYS"}:
        return before not in _OPEN_KEYS
    if word in _SECRET_LAST:
        return bool(before) and at == len(words) - 1 and before not in _OPEN_PASSES
    return word in _SECRET or word.endswith(_SECRET_ENDINGS)
