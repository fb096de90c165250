import base64
import json
import random
import string
import threading
import time
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.redact import Redactor, is_secret_name

ALNUM = string.ascii_letters + string.digits
_chance = random.Random(7)


def body(length, alphabet=ALNUM):
    return "".join(_chance.choice(alphabet) for _ in range(length - 2)) + "a1"


CREDENTIALS = {
    "openai": "sk-" + body(48),
    "openai project": "sk-proj-" + body(60, ALNUM + "_-"),
    "anthropic": "sk-ant-api03-" + body(80, ALNUM + "_-"),
    "google": "AIza" + body(35, ALNUM + "_-"),
    "google oauth": "ya29." + body(60, ALNUM + "_-"),
    "google client": "GOCSPX-" + body(28),
    "aws": "AKIA" + "IOSFODNN7" + "EXAMPLE",
    "aws session": "ASIA" + body(14, string.ascii_uppercase + string.digits).upper() + "A1",
    "github": "ghp_" + body(36),
    "github app": "ghs_" + body(36),
    "github fine": "github_pat_" + body(22) + "_" + body(59),
    "gitlab": "glpat-" + body(20),
    "slack": "xoxb-" + "123456789012-" + body(24),
    "slack app": "xapp-1-A0" + body(30),
    "stripe": "sk_live_" + body(24),
    "stripe restricted": "rk_test_" + body(24),
    "stripe hook": "whsec_" + body(32),
    "hugging face": "hf_" + body(34),
    "npm": "npm_" + body(36),
    "pypi": "pypi-AgEIcHlwaS5vcmc" + body(60, ALNUM + "_-"),
    "jwt": "eyJ" + body(33) + ".eyJ" + body(60) + "." + body(43, ALNUM + "_-"),
}


@pytest.mark.parametrize("kind", CREDENTIALS)
@pytest.mark.parametrize(
    "frame", ["{}", "use {} now", '{{"x":"{}"}}', "a={}&b=1", "\n{}\n", "('{}',)", "key: {}."]
)
def test_a_well_known_credential_is_replaced_wherever_it_stands(kind, frame):
    secret = CREDENTIALS[kind]
    clean = Redactor({}).text(frame.format(secret))
    assert secret not in clean
    assert secret[6:-5] not in clean
    assert "[redacted " in clean


@given(st.sampled_from(sorted(CREDENTIALS.values())), st.text(), st.text())
def test_the_prefilter_never_hides_a_credential_from_the_rules(secret, before, after):
    text = f"{before} {secret} {after}"
    redactor = Redactor({})
    assert secret not in redactor.text(text)
    assert redactor.suspect(json.dumps(text).encode())


def test_the_replacement_shows_the_kind_and_at_most_four_characters():
    assert Redactor({}).text("ghp_" + "Ab3" * 11 + "xa1b2") == "[redacted github token …a1b2]"


SECRET_TEXT = {
    "Authorization: Bearer abc123DEF456ghi": "abc123DEF456ghi",
    "authorization: bearer abc123def456ghi": "abc123def456ghi",
    "Authorization: Basic dXNlcjpodW50ZXIyMg==": "dXNlcjpodW50ZXIyMg",
    "Bearer 8f14e45fceea167a5a36dedd4bea2543": "8f14e45fceea167a5a36dedd4bea2543",
    "postgres://admin:s3cr3t!pw@db.local:5432/x": "s3cr3t!pw",
    "git clone https://oauth2:hunter22@host/r.git": "hunter22",
    "password=hunter22": "hunter22",
    "export DB_PASSWORD='corr3ct-horse'": "corr3ct-horse",
    '{"api_key": "9f8e7d6c5b4a"}': "9f8e7d6c5b4a",
    '{"apiKey":"9f8e7d6c5b4a"}': "9f8e7d6c5b4a",
    r"{\"api_key\": \"9f8e7d6c5b4a\"}": "9f8e7d6c5b4a",
    '{"password":"ab\\"cd12ef"}': "cd12ef",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzz": "wJalrXUtnFEMI",
    "client_secret: 'Zx9-yy_77q'": "Zx9-yy_77q",
    "mysql --password hunter22 -u root": "hunter22",
    "token: 0a1b2c3d4e5f": "0a1b2c3d4e5f",
    "PWD_=x; MYSQL_PWD=s3kr1tpw": "s3kr1tpw",
}


@pytest.mark.parametrize("text", SECRET_TEXT)
def test_assignments_and_headers_lose_their_value(text):
    clean = Redactor({}).text(text)
    assert SECRET_TEXT[text] not in clean
    assert "[redacted " in clean


def test_a_private_key_block_goes_whole_even_when_its_end_is_missing():
    lines = "\n".join(body(64, ALNUM + "+/") for _ in range(8))
    block = f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----"
    redactor = Redactor({})
    assert redactor.text(f"a\n{block}\nb") == "a\n[redacted private key]\nb"
    assert lines[:20] not in redactor.text(block[:300])
    escaped = json.dumps({"k": block})
    assert json.loads(redactor.text(escaped)) == {"k": "[redacted private key]"}


ORDINARY = [
    "3f786850e387550fdab836ed7e6dc881de23001b",
    "commit 89e6c98d92887913cadf06b2adb97f26cde4849b (HEAD -> main)",
    "3f2b8c1e-7a4d-4e0b-9c2a-5d6f7e8a9b0c",
    "data:image/png;base64," + base64.b64encode(random.Random(1).randbytes(3000)).decode(),
    "password = get_password()",
    "password = os.environ['DB_PASSWORD']",
    "password: str = Field(...)",
    "self.token = settings.github_token",
    'token = config["token"]',
    "token_count: 5",
    "max_tokens=4096",
    "tokens: 123456",
    'export OPENAI_API_KEY="sk-..."',
    "api_key=YOUR_API_KEY",
    'api_key: "your-api-key-here1"',
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${TOKEN}",
    "Authorization: Bearer $TOKEN",
    "token=${TOKEN}",
    "password=***",
    'password: "********"',
    "password=<password>",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "class sk-loading-indicator-wrapper-element",
    "https://user@example.org/path?x=1",
    "https://localhost:8080/a@b",
    "postgres://user:password@localhost/db",
    "redis://:${REDIS_PASSWORD}@host",
    "mail me at me@example.org",
    "The secret of good code: readability",
    '{"type": "string", "secret": "optional"}',
    '{"next_page_token": "CAUQAA1234"}',
    "if '-----BEGIN PRIVATE KEY-----' in text:",
    "keyboard: qwerty123",
    "the tokenizer=cl100k_base",
    "git checkout -b task-force-one_two_three_four_five",
    "$2 off; key=value; author: me",
    "PWD=/home/me/work-1\nOLDPWD=/tmp/v2",
    'declare -x PWD="/home/me/work-1"',
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_and_placeholders_stay(text):
    assert Redactor({}).text(text) == text


ODD = 'p@ss "w\\ö/rd+1'


@pytest.mark.parametrize(
    "written",
    [
        ODD,
        json.dumps(ODD),
        json.dumps(ODD, ensure_ascii=False),
        urllib.parse.quote(ODD),
        urllib.parse.quote_plus(ODD),
        base64.b64encode(ODD.encode()).decode(),
        base64.b64encode(b"user:" + ODD.encode()).decode(),
        base64.urlsafe_b64encode(b"me:" + ODD.encode() + b"!").decode(),
    ],
)
def test_a_known_secret_is_found_in_every_form(written):
    clean = Redactor({"ODD": ODD}).text(f"x {written} y")
    assert "[redacted ODD]" in clean
    assert len(clean) < len(f"x {written} y") + 10


@given(st.text(min_size=6, max_size=60), st.text(), st.text())
def test_a_known_secret_never_survives(secret, before, after):
    redactor = Redactor({"S": secret})
    if secret not in "[redacted S]":
        assert secret not in redactor.text(before + secret + after).replace("[redacted S]", "\0")
    assert redactor.suspect(
        json.dumps([before + secret], ensure_ascii=False).encode("utf-8", "replace")
    )


def test_short_values_are_not_taken_for_secrets():
    assert Redactor({"A": "true", "B": "12345"}).text("true 12345") == "true 12345"


def test_a_secret_learnt_later_is_redacted_from_then_on():
    redactor = Redactor({})
    before = redactor.text("value fluffy-bunny")
    redactor.add("PET", "fluffy-bunny")
    assert (before, redactor.text("value fluffy-bunny")) == (
        "value fluffy-bunny",
        "value [redacted PET]",
    )


def test_many_threads_may_add_secrets_at_once():
    redactor = Redactor({})
    threads = [
        threading.Thread(target=redactor.add, args=(f"N{n}", f"secret-value-{n:03}"))
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert all(redactor.text(f"secret-value-{n:03}") == f"[redacted N{n}]" for n in range(20))


def test_a_json_value_is_copied_and_its_secret_fields_replaced():
    given_value = {
        "password": "hunter22",
        "deep": [{"api_key": "k3y-value"}, CREDENTIALS["github"], 7, None],
        "token_count": 5,
        "keyboard": "qwerty1",
        "page_token": "CAUQAA12",
    }
    copy = json.loads(json.dumps(given_value))
    clean = Redactor({}).value(given_value)
    assert given_value == copy
    assert clean == {
        "password": "[redacted password]",
        "deep": [
            {"api_key": "[redacted api_key]"},
            f"[redacted github token …{CREDENTIALS['github'][-4:]}]",
            7,
            None,
        ],
        "token_count": 5,
        "keyboard": "qwerty1",
        "page_token": "CAUQAA12",
    }


@given(st.text())
def test_redaction_is_idempotent(text):
    redactor = Redactor({"S": "abcdef"})
    once = redactor.text(text + " password='s3cret-1' " + CREDENTIALS["jwt"])
    assert redactor.text(once) == once


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(json_values)
def test_redacted_json_text_stays_json(value):
    text = json.dumps({"password": "hunter22", "value": value, "t": CREDENTIALS["slack"]})
    assert json.loads(Redactor({}).text(text))["password"] == "[redacted password]"


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        ({"password": 123456}, {"password": "[redacted password]"}),
        ({"auth": ["a", {"b": "c"}]}, {"auth": ["[redacted auth]", {"b": "[redacted auth]"}]}),
        ({"h": {"Authorization": "abc"}}, {"h": {"Authorization": "[redacted Authorization]"}}),
        ({"name": "DB_TOKEN", "value": "a"}, {"name": "DB_TOKEN", "value": "[redacted DB_TOKEN]"}),
        (
            {"token": "", "secret": None, "auth": False},
            {"token": "", "secret": None, "auth": False},
        ),
        ({"redis_url": "redis://h:6379/0"}, {"redis_url": "redis://h:6379/0"}),
        ({"db_url": "pg://u:abc@h/d"}, {"db_url": "pg://u:[redacted db_url]@h/d"}),
        ({"sort_key": "name", "keys": ["a"]}, {"sort_key": "name", "keys": ["a"]}),
    ],
)
def test_a_strict_copy_keeps_nothing_under_a_secrets_name(value, clean):
    assert Redactor({}).value(value, strict=True) == clean


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("DATABASE_URL", "postgres://ann:pg%40pass99@db.local/shop", "pg@pass99"),
        ("DATABASE_URL", "postgres://ann:pg%40pass99@db.local/shop", "pg%40pass99"),
        ("SENTRY_DSN", "https://0a1b2c3d4e@o1.ingest.sentry.io/5", "0a1b2c3d4e"),
        (
            "SLACK_WEBHOOK_URL",
            "https://hooks.slack.com/services/T0/B0/abcDEF",
            "services/T0/B0/abcDEF",
        ),
        ("GITHUB_PAT", "mypatvalue", "mypatvalue"),
    ],
)
def test_what_is_secret_in_a_known_value_is_found(name, value, secret):
    redactor = Redactor({name: value})
    text = f"see {value} or {secret if '/' not in secret else value}!"
    assert secret not in redactor.text(text)
    assert f"[redacted {name}]" in redactor.text(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "postgres://ann:pg-pass-99@db.local/shop"),
        ("DATABASE_URL", "postgres://postgres:postgres@localhost/postgres"),
        ("REDIS_URL", "redis://cache.local:6379/0"),
        ("AMQP_URL", "amqp://guest:guest@localhost"),
    ],
)
def test_the_open_part_of_an_address_stays(name, value):
    redactor = Redactor({name: value})
    text = "db.local, cache.local, localhost, postgres and guest are no secrets; ann neither"
    assert redactor.text(text) == text


def test_a_text_found_clean_is_looked_at_again_after_a_new_secret():
    redactor = Redactor({})
    before = [redactor.is_clean("fluffy-bunny") for _ in range(2)]
    redactor.add("PET", "fluffy-bunny")
    assert (before, redactor.is_clean("fluffy-bunny")) == ([True, True], False)


def test_a_text_that_only_looks_suspect_is_clean():
    assert Redactor({}).is_clean("api_key_list")


@pytest.mark.parametrize("kind", CREDENTIALS)
def test_a_credential_in_a_long_text_is_replaced(kind):
    text = f"{'all work and no play ' * 5_000} {CREDENTIALS[kind]} {'makes a dull day ' * 5_000}"
    assert CREDENTIALS[kind] not in Redactor({"S": "x9Q-77-zz"}).text(text)


def test_a_known_secret_in_a_long_text_is_replaced():
    text = f"{'a' * 100_000} x9Q-77-zz {'b' * 100_000}"
    assert "x9Q-77-zz" not in Redactor({"S": "x9Q-77-zz"}).text(text)


HOSTILE = [
    "k-" * 500_000,
    "password=abc123def " * 50_000,
    f"Bearer {'a' * 4_000} " * 250,
    f"k{'k-' * 500_000} token sk- AIza gh gl xox sk_ .eyJ bearer authorization ://",
    "eyJ-" * 250_000,
    "eyJaaaaaaaaaa." * 70_000,
    "sk-" * 300_000,
    "://a:" * 200_000,
    "password=" * 100_000,
    "--password " * 90_000,
    "token:    " * 100_000,
    "-----BEGIN PRIVATE KEY-----" * 40_000,
    "\\" * 1_000_000 + "password",
    "Bearer " * 140_000,
    "a" * 1_000_000,
    'password="' + "a" * 1_000_000,
]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_a_hostile_megabyte_takes_no_more_than_linear_work(text):
    redactor = Redactor({"S": "x9Q-77-zz"})

    def work(size):
        start = time.process_time()
        redactor.text(text[:size])
        return time.process_time() - start

    small = min(work(100_000) for _ in range(3))
    assert work(1_000_000) < max(small, 0.005) * 60


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "DB_PASSWORD",
        "PGPASSWORD",
        "MYSQL_PWD",
        "NPM_AUTH",
        "clientSecret",
        "apiKey",
        "GOOGLE_CREDENTIALS",
        "ssh-passphrase",
        "auth_token",
        "GITHUB_PAT",
        "STRIPE_SK",
        "DB_PASS",
        "SLACK_WEBHOOK",
        "SLACK_WEBHOOK_URL",
        "SENTRY_DSN",
        "DATABASE_URL",
        "MONGODB_URI",
        "CELERY_BROKER_URL",
        "AZURE_CONNECTION_STRING",
        "Authorization",
        "Set-Cookie",
        "cookie",
        "creds",
        "X-Api-Key",
        "PRIVATE_KEY",
    ],
)
def test_names_of_secrets_are_known(name):
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "KEYBOARD",
        "MONKEY",
        "AUTHOR",
        "PWD",
        "OLDPWD",
        "TOKENIZERS_PARALLELISM",
        "SSH_AUTH_SOCK",
        "PATH",
        "HOME",
        "PUBLIC_KEY",
        "token_count",
        "next_page_token",
        "XAUTHORITY",
        "KEY_FILE",
        "SESSION_ID",
        "sort_key",
        "primary_key",
        "keys",
        "PAT",
        "pass",
        "first_pass",
        "auth_type",
        "AUTH_URL",
        "token_type",
        "webhook_port",
        "cookie_domain",
        "BASE_URL",
        "PYTHONPATH",
        "COMPAT",
        "",
    ],
)
def test_names_of_ordinary_things_are_not_secrets(name):
    assert not is_secret_name(name)
