"""What goes, what stays, and what redaction promises: nothing secret left, the same twice, JSON still JSON, linear time.

Every made-up token is joined from pieces, so that no file holds a whole one.
"""

import base64
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainproj.core.redact import HIDDEN, Redactor, redact

CASES = Path(__file__).parents[1] / "data" / "cases"
MASK = json.loads((CASES / "18-redaction-misses-tokens" / "mask.json").read_text("utf-8"))
KEEP = (CASES / "17-redaction-eats-numbers" / "keep.txt").read_text("utf-8")

UP = "MadeUp" * 4
HEX = "0123456789abcdef" * 2
JWT = "eyJ" + "hbGciOiJub25lIn0" + ".eyJ" + "zdWIiOiJtYWRlLXVwIn0" + "." + "c2lnbmF0dXJl"
LINES = [base64.b64encode(bytes(range(start, start + 48))).decode() for start in (0, 64, 128)]
BEGIN, END = "-----BEGIN RSA " + "PRIVATE KEY-----", "-----END RSA " + "PRIVATE KEY-----"
PEM = "\n".join([BEGIN, *LINES, "AAECAw==", END])

TOKENS = {
    "github personal": "ghp" + "_" + UP + "123456789012",
    "github oauth": "gho" + "_" + UP + "123456789012",
    "github user": "ghu" + "_" + UP + "123456789012",
    "github server": "ghs" + "_" + UP + "123456789012",
    "github refresh": "ghr" + "_" + UP + "123456789012",
    "github fine grained": "github" + "_pat_" + "11MADEUP0" + UP + "_" + UP,
    "gitlab personal": "glpat" + "-" + "Made-Up_Made123Up",
    "gitlab runner": "glrt" + "-" + "MadeUpMadeUp12345678",
    "gitlab deploy": "gldt" + "-" + "MadeUpMadeUp12345678",
    "openai": "sk" + "-" + UP + "12345678",
    "openai project": "sk" + "-proj-" + UP + "_12345678-" + UP,
    "anthropic": "sk" + "-ant-api03-" + UP + "-12345678_" + UP,
    "slack bot": "xoxb" + "-123456789012-123456789012-" + UP,
    "slack user": "xoxp" + "-123456789012-123456789012-" + UP,
    "slack app": "xapp" + "-1-A0MADEUP-123456789012-" + HEX,
    "aws key id": "AKIA" + "MADEUPMADEUP1234",
    "aws temporary key id": "ASIA" + "MADEUPMADEUP1234",
    "google api key": "AIza" + UP + "MadeUpMade1",
    "google access token": "ya29" + ".a0" + UP + "_12-" + UP,
    "google client secret": "GOCSPX" + "-" + UP + "1234",
    "google refresh token": "1//0" + "g" + UP + "-" + UP + "12",
    "stripe secret": "sk" + "_live_" + UP + "1234",
    "stripe restricted": "rk" + "_live_" + UP + "1234",
    "stripe webhook": "whsec" + "_" + UP + "1234",
    "npm": "npm" + "_" + UP + "123456789012",
    "pypi": "pypi" + "-AgE" + "IcHlwaS5vcmc" + UP + "_-" + UP,
    "hugging face": "hf" + "_" + UP + "MadeUpMade",
    "sendgrid": "SG" + "." + UP[:22] + "." + UP + "_MadeUp-123456789012",
    "discord bot": "M" + "TAxMTIxMzE0MTUxNjE3MTg" + "0" + ".GmAdEu." + UP + "_12345",
    "telegram bot": "AA" + "F" + UP + "_12345678",
    "digitalocean": "dop" + "_v1_" + HEX + HEX,
    "jwt": JWT,
    "age": "AGE-SECRET" + "-KEY-1" + "MADEUPMADEUPMADEUPMADEUPMADEUPMADEUPMADEUPMADEUPMADEUPMADE",
    "vault": "hvs" + "." + UP + UP,
    "atlassian": "ATATT3" + "xFf" + UP + "=12345678",
    "docker hub": "dckr" + "_pat_" + UP + "123",
    "shopify": "shpat" + "_" + HEX,
    "linear": "lin" + "_api_" + UP + UP,
    "grafana": "glsa" + "_" + UP + "12345678_" + "0a1b2c3d",
}
BEFORE_TOKEN = {"telegram bot": "12345678:"}

SECRET = "S3cret" + "MadeUp9"
"""A value without a shape of its own: only its name gives it away."""
NAMED = [
    'password: "{}"',
    "password: {}",
    "password={}",
    "password = '{}'",
    "Password: {}",
    "**Password:** {}",
    "password: `{}`",
    "DB_PASSWORD={}",
    "DB_PASSWORD='{}'",
    "export DB_PASSWORD={}; ./run",
    "      DB_PASSWORD: {}",
    "PGPASSWORD={} psql -h db",
    "SMTP_PASS={}",
    '{{"pass": "{}"}}',
    "MY_SERVICE_API_KEY={}",
    "MY_SERVICE_API_KEY_PROD={}",
    "API_KEY_2={}",
    '"apiKey": "{}"',
    "'apiKey': '{}'",
    '\\"apiKey\\": \\"{}\\"',
    '\\\\\\"apiKey\\\\\\": \\\\\\"{}\\\\\\"',
    'api_key="{}",',
    'apiKey: "{}",',
    "api-key: {}",
    "API key: {}",
    "X-Api-Key: {}",
    "curl -H 'X-Auth-Token: {}' https://x.example.com",
    'const clientSecret = "{}";',
    'client_secret: str = "{}"',
    'const token: string = "{}"',
    "refresh_token={}",
    '{{"access_token":"{}","expires_in":3600}}',
    "token := `{}`",
    "'token' => '{}',",
    'config["secret"] = "{}"',
    "--token={} --verbose",
    "--token {} --verbose",
    "--api-key {}",
    "mysql --password {} -h db",
    'login --password "{}"',
    "curl -u admin:{} https://x.example.com",
    "aws_secret_access_key={}",
    "aws_secret_access_key = {}",
    "_authToken={}",
    "//registry.npmjs.org/:_authToken={}",
    "machine api.example.com login me password {}",
    "machine api.example.com\n  login me\n  password {}\n",
    "Authorization: Bearer {}",
    "Authorization: token {}",
    "authorization: Basic {}",
    'headers = {{"Authorization": "Bearer {}"}}',
    "-H 'Authorization: Bearer {}' \\",
    "Proxy-Authorization: Basic {}",
    "Authorization: {}",
    "Cookie: theme=dark; sessionid={}; lang=en",
    "Set-Cookie: connect.sid={}; Path=/; HttpOnly",
    'Cookie": "session_token={}"',
    "https://x.example.com/a?access_token={}&page=2",
    "https://x.example.com/a?page=2&api_key={}",
    "https://x.example.com/a?token={}",
    "postgres://app:{}@db.example.com/shop",
    "redis://:{}@cache.example.com:6379/0",
    "https://oauth2:{}@git.example.com/acme/r.git",
    "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};EndpointSuffix=core.windows.net",
    "Server=db;User Id=sa;Password={};Encrypt=true",
    "jdbc:mysql://db/shop?user=app&password={}",
    "spring.datasource.password={}",
    "- name: DB_PASSWORD\n  value: {}",
    '{{"name": "DB_PASSWORD", "value": "{}"}}',
    '<add key="ApiKey" value="{}" />',
    "<password>{}</password>",
    '<string name="api_key">{}</string>',
    "my password is {} by the way",
    "TWILIO_AUTH_TOKEN={}",
    "the line\\npassword: {}\\nthe next",
    "Authorization: Bearer {}\\r\\nHost: x",
    'if password == "{}":',
]

STAYS = [
    "",
    'password = ""',
    "password:",
    "token=<token>",
    "token: $TOKEN",
    "TOKEN=${TOKEN:-}",
    "TOKEN=$(cat token.txt)",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${{ secrets.GITHUB_TOKEN }}",
    'headers = {"Authorization": f"Bearer {token}"}',
    'headers["Authorization"] = "Bearer " + token',
    "password: {{ vault_password }}",
    "password: ********",
    'password: "••••••••"',
    "password: xxxxxxxx",
    'api_key=os.environ["OPENAI_API_KEY"]',
    "const apiKey = process.env.API_KEY;",
    "API_KEY=process.env.API_KEY",
    "token = next(tokens)",
    "token = tokens[i + 1]",
    "token = self.lexer.token2",
    'if token == "(":',
    'if token == "identifier":',
    "if token != expected:",
    "token >= 5 and token <= 10",
    "token->value = 3;",
    "Token::new(kind, span)",
    "self.password = password",
    "connect(user=user, password=password)",
    "password: str",
    "password: string;",
    "password?: string | null",
    "    password: Optional[SecretStr] = None",
    "    token: Token",
    "def login(self, password: str = None) -> bool:",
    "password = getpass.getpass()",
    "secret = secrets.token_hex(16)",
    "password: null,",
    "secret: true",
    "max_tokens=4096, temperature=0.2",
    '"max_tokens": 4096, "stop": null',
    '{"prompt_tokens": 12, "completion_tokens": 345}',
    'tokenizer="gpt2-long-name-here"',
    "password_hash_algorithm: bcrypt",
    "secret_santa: alice and bob",
    "author: Jane Doe <jane@example.com>",
    "PRIMARY KEY: id",
    "primary_key: order_id_2024_01",
    "public_key = load_key1(path)",
    "cache_key: user:1234:profile",
    'key="menu-item-12345678"',
    "key: value",
    "monkey: see",
    "compass: north12",
    "secretName: my-tls-secret-2024",
    "secretKeyRef: {name: db, key: password}",
    "tokens: 128000",
    "the token: it expired",
    "token: expired",
    "Password: required",
    '"password": "Password must be at least 8 characters"',
    '"token": "The token you were given."',
    '{"type": "password", "name": "password", "label": "Password:"}',
    '{"label":"Password:","next":"hunter2hunter2"}',
    '{"a":"token: ","b":"abcdefgh12345678"}',
    '{"token": "keyword.operator"}',
    '{token: "comment.line"}',
    'token: "LEFT_PAREN"',
    'pad_token="<pad>"',
    "password: ./secrets/db_password",
    "private_key: /etc/ssl/private/key.pem",
    "--private-key ~/.ssh/id_ed25519",
    "ssh_private_key=keys/deploy.pem",
    "token_endpoint: https://x.example.com/oauth2/token",
    "password: https://x.example.com/reset",
    "use --token when the server asks",
    "docker run -u 1000:1000 image",
    "git push -u origin feature/token-2",
    "--- PASS: TestLogin_WithToken2 (0.00s)",
    "credentials: 'same-origin'",
    "auth: required",
    'auth: "basic"',
    "oauth: github",
    "secrets: inherit",
    "the bearer of this letter, bearer token authentication",
    "Basic authentication, Bearer authentication",
    "Cookie: a=b; theme=dark",
    "the cookie: it crumbles",
    "https://x.example.com/?page=2&sort=key&key=name",
    "https://example.com:8080/a@b",
    "https://user@example.com/x",
    "ssh://git@example.com/acme/r.git",
    "git@github.com:acme/r.git",
    "postgres://user:password@localhost/db",
    "postgres://$USER:$PASS@db/x",
    "postgres://<user>:<password>@db/x",
    "docker://alpine:3.18.2-r0@sha256:" + "9f86d081" * 8,
    "npm install @scope/pkg@1.2.3",
    "https://cdn.example.com/npm/vue@3.4.5/dist/vue.js",
    "ghp_short, sk-learn, sk-fading-circle, hf_hub_download, npm_config_registry, xoxb-",
    "task-0123456789abcdef0123456789abcdef",
    "pip install sk-learn-contrib-extra-long-name",
    "AKIA is how key ids begin, AIza too, eyJ also",
    "-----BEGIN CERTIFICATE-----\n" + "\n".join(LINES) + "\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n" + "\n".join(LINES) + "\n-----END PUBLIC KEY-----",
    f'if "{BEGIN}" in text:',
    f'["{BEGIN}", "{END}"]',
    "index 3f78685..9daeafb 100644",
    "sha512-" + "9f86d081" * 16,
    "data:image/png;base64," + LINES[0] * 4,
    "//# sourceMappingURL=data:application/json;base64,eyJ" + "2ZXJzaW9uIjoz" * 8,
    "| 8b1a9953-c461-4f2e-9d3a-6f1e6a0c2b11 | 2026-03-01 | 12.5 |",
    "!function(e,t){var n=e.token,r=t.password;n=r(e.secret);e.apiKey=t[0];return{token:n,password:r}}(a,b)",
    "-    token = get_token()\n+    token = self._token or get_token()\n",
    "src/auth/token.py:12:34: error: token: expected 3",
    "token: src/auth/token.py:12",
    "- [ ] rotate the secret: see docs/rotate.md",
    "password = args.password1",
    'os.getenv("API_TOKEN", "")',
    "Passwörter: keine, токен: нет, 密码：无",
    '<input type="password" name="password" placeholder="Password">',
    "<th>Password</th><td>required</td>",
    "SECRET_KEY: str",
    "TOKEN: Identifier",
    "GITHUB_TOKEN: GitHubToken",
    "run it with `GITHUB_TOKEN=github`",
    "[Pre-shared keys]: #pre-shared-keys",
    "user_pass = '%s:%s' % (user, word)",
    'token = r"[-!#$%&*+.^_`|~0-9a-zA-Z]+"',
    "token: Annotated[str, Depends(oauth2_scheme)]",
    "api_key=api_key, client_secret=client_secret",
]


def in_json(text: str) -> str:
    return json.dumps({"a": text, "n": 1})


SURROUNDINGS: dict[str, Callable[[str], str]] = {
    "alone": str,
    "line of a file": lambda text: f"one\n{text}\r\nthree\n",
    "numbered line": lambda text: f"    12\t{text}\n    13→{text}",
    "diff": lambda text: f"+{text}\n-{text}\n {text}",
    "grep": lambda text: f"src/a.py:12:{text}",
    "list": lambda text: f"- {text}",
    "quoted mail": lambda text: f"> {text}",
    "code": lambda text: f"`{text}`",
    "colours": lambda text: f"\x1b[32m{text}\x1b[0m",
    "other scripts": lambda text: f"密码在这里 {text}，好的 🚀",
    "sentence": lambda text: f"Use {text} for it.",
    "html": lambda text: f"<code>{text}</code>",
    "json": in_json,
    "json in json": lambda text: in_json(in_json(text)),
    "json in json in json": lambda text: in_json(in_json(in_json(text))),
    "escaped lines": lambda text: f"one\\n{text}\\nthree",
}


@pytest.mark.parametrize("name", TOKENS)
def test_a_token_goes_and_the_words_around_it_stay(name: str) -> None:
    before = BEFORE_TOKEN.get(name, "")
    assert redact(f"see {before}{TOKENS[name]} there") == f"see {before}{HIDDEN} there"


@pytest.mark.parametrize("around", SURROUNDINGS)
def test_no_token_survives_wherever_it_stands(around: str) -> None:
    for name, token in TOKENS.items():
        redacted = redact(SURROUNDINGS[around](BEFORE_TOKEN.get(name, "") + token))
        assert token[8:] not in redacted, name


@pytest.mark.parametrize("line", NAMED)
def test_a_value_goes_and_its_name_stays(line: str) -> None:
    assert redact(line.format(SECRET)) == line.format(HIDDEN)


@pytest.mark.parametrize("around", SURROUNDINGS)
def test_no_named_value_survives_wherever_it_stands(around: str) -> None:
    for line in NAMED:
        assert SECRET not in redact(SURROUNDINGS[around](line.format(SECRET))), line


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("DB_PASSWORD='{}'", "hunter two made up"),
        ("password: {}", "correct-horse-made-up"),
        ("password: {}", "P@ss!w0rd#9"),
        ("password: {}", "S3c&ret%Up(9"),
        ('"password": "{}"', 'S3c\\"ret made,up'),
        ("'password': '{}'", 'S3c"ret'),
        ("user=app password={} host=db", "letmein"),
        ("--password={}", "letmein"),
        ("mysql --password {} -h db", "letmein"),
        ("POSTGRES_PASSWORD: {}\n", "letmein"),
        ('"auth": "{}"', "bWFkZTp1cA" + "=="),
        ("postgres://app:{}@db.example.com/shop", "p/ss@w0rd#9"),
        ("https://{}@git.example.com/acme/r.git", "S3CRETVALUE2"),
        ("https://{}:x-oauth-basic@git.example.com/acme/r.git", "S3CRETVALUE2"),
        ("https://hooks.slack.com/services/{}", "T0MADEUP0/B0MADEUP0/" + UP),
        ("https://discord.com/api/webhooks/123456789012345678/{}", UP + UP),
        ("https://x.blob.example.com/c?sv=2024&sig={}&se=2026", UP + "%2B" + "1234%3D"),
        ("https://maps.example.com/js?key={}", UP + "12"),
        ("Bearer {} was sent", UP + "12"),
        ("TOKEN={}", "8b1a9953-c461-4f2e-9d3a-6f1e6a0c2b11"),
    ],
)
def test_a_value_goes_whole_whatever_is_in_it(line: str, value: str) -> None:
    redacted = redact(line.format(value))
    assert redacted.count(HIDDEN) == 1
    assert not any(value[at : at + 5] in redacted for at in range(len(value) - 4)), redacted


@pytest.mark.parametrize("text", STAYS)
def test_what_is_no_secret_stays_byte_for_byte(text: str) -> None:
    assert redact(text) == text


def test_what_is_no_secret_stays_in_one_text() -> None:
    assert redact("\n\n".join(STAYS)) == "\n\n".join(STAYS)


def test_case_17_numbers_ids_and_words_stay() -> None:
    assert redact(KEEP) == KEEP
    for line in KEEP.splitlines():
        assert redact(line) == line


def test_case_06_no_credential_of_a_remote_is_left() -> None:
    script = (CASES / "06-credentials-in-remote" / "setup.sh").read_text("utf-8")
    assert "S3CRETVALUE" in script
    assert "S3CRETVALUE" not in redact(script)
    assert "git.example.com/acme/r.git" in redact(script)


@pytest.mark.parametrize("row", MASK)
def test_case_18_the_secret_goes_and_the_rest_stays(row: dict[str, list[str]]) -> None:
    text = "".join(row["text"])
    for around in SURROUNDINGS.values():
        assert "".join(row["gone"]) not in redact(around(text))
    for part in row["keep"]:
        assert part in redact(text)
    if text.startswith("{"):
        assert json.loads(redact(text)).keys() == json.loads(text).keys()


@pytest.mark.parametrize(
    "block",
    [
        PEM,
        PEM.replace("RSA ", ""),
        PEM.replace("RSA ", "OPENSSH "),
        PEM.replace(LINES[0], "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A1B\n\n" + LINES[0]),
        PEM.replace("\n", "\r\n"),
        PEM.replace("\n", "\\n"),
        PEM.replace("\n", " "),
        PEM.replace("\n", "\n    12\t"),
        PEM.replace("\n", "\n    12→"),
        PEM.replace("\n", "\n+"),
        PEM.replace("\n", "\n-"),
        PEM.removesuffix("\n" + END),
        PEM[: PEM.index(LINES[2]) + 7],
    ],
)
def test_a_private_key_goes_as_a_whole(block: str) -> None:
    assert redact(f"before {block}") == f"before {HIDDEN}"
    if END in block:
        assert redact(f"before\n{block}\nafter") == f"before\n{HIDDEN}\nafter"
        assert json.loads(redact(json.dumps([block, 1]))) == [HIDDEN, 1]


def test_the_lines_of_a_private_key_in_quotes_go_one_by_one() -> None:
    redacted = redact(json.dumps(PEM.splitlines(), indent=2))
    assert json.loads(redacted)[0] == BEGIN
    assert not any(line in redacted for line in LINES)


def test_an_escape_before_a_line_of_a_private_key_in_quotes_stays_whole() -> None:
    redacted = redact(json.dumps(f"'{BEGIN}'\x00{LINES[0]}\t{LINES[1]}"))
    assert json.loads(redacted) == f"'{BEGIN}'\x00{HIDDEN}\t{HIDDEN}"


def test_two_secrets_that_touch_leave_one_marker() -> None:
    assert redact(f'"password": "{JWT}"') == f'"password": "{HIDDEN}"'


def test_a_person_hides_more_and_keeps_some() -> None:
    redactor = Redactor(hide=["ACME-[0-9]+"], keep=["S3cret.*"])
    assert redactor.redact(f"ACME-123 password={SECRET} token: {JWT}") == f"{HIDDEN} password={SECRET} token: {HIDDEN}"
    assert redactor.redact("password=xS3cret9") == f"password={HIDDEN}"


@pytest.mark.parametrize("pattern", [".", ".*", "[a-z]+", "red", r"\[", r"x\[red", "(?<=a).+", "$", ""])
def test_a_pattern_that_matches_the_marker_does_not_hide_it_again(pattern: str) -> None:
    redactor = Redactor(hide=[pattern])
    once = redactor.redact(f"ax[red password={SECRET} abc\n{HIDDEN}")
    assert redactor.redact(once) == once


def test_a_malformed_pattern_is_named() -> None:
    with pytest.raises(ValueError, match=r"\(unclosed"):
        Redactor(hide=["(unclosed"])
    with pytest.raises(ValueError, match=r"\*keep"):
        Redactor(keep=["*keep"])


def test_the_version_follows_the_rules() -> None:
    versions = [Redactor(), Redactor(["a"]), Redactor(["b"]), Redactor([], ["a"]), Redactor(["a"], ["a"])]
    assert len({redactor.version for redactor in versions}) == len(versions)
    assert Redactor(["a"], ["b"]).version == Redactor(["a"], ["b"]).version


NAMES = "password token secret apiKey DB_PASSWORD Authorization Cookie name value key sig= pass"
SIGNS = ': = == => := :" =" " \' ` \\ \\\\ \\n , ; { } [ ] ( ) < > & ? @ :// / # $ ${ * ** f" . -- _ é 密码 ，'
PIECES = [
    *NAMES.split(),
    *SIGNS.split(),
    *["\n", " ", "  ", "\t", ": ", ' = "', "--token ", "curl -u ", "Bearer ", "word is ", "\x00", "\ud800", "\x1b[0m"],
    *["abc", "hunter2", "12", "-4.5e+10", "None", "str", "[reda", "cted]", HIDDEN, SECRET, BEGIN, END, LINES[0]],
    *["eyJ", ".eyJ", "sk-", "ghp_", *TOKENS.values()],
]
MADE_UP = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | MADE_UP,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(MADE_UP, inner, max_size=3) | inner.map(json.dumps),
    max_leaves=6,
)
ANYTHING = st.text(st.characters(exclude_categories=[]))


@settings(deadline=None, max_examples=400)
@given(MADE_UP | ANYTHING)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@settings(deadline=None, max_examples=400)
@given(JSON, st.booleans(), st.sampled_from([None, 1]))
def test_what_was_json_is_json(value: object, ascii_only: bool, indent: int | None) -> None:
    again = json.loads(redact(json.dumps(value, ensure_ascii=ascii_only, indent=indent)))
    assert type(again) is type(json.loads(json.dumps(value)))


@settings(deadline=None)
@given(st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyz0123456789 \n,;!?()[]{}'\"éß密 ")))
def test_a_text_without_separators_and_prefixes_is_left_alone(text: str) -> None:
    assert redact(text) == text


@settings(deadline=None, max_examples=300)
@given(MADE_UP, MADE_UP, st.sampled_from(sorted(TOKENS)), st.sampled_from(sorted(SURROUNDINGS)))
def test_a_planted_token_never_survives(before: str, after: str, name: str, around: str) -> None:
    token = BEFORE_TOKEN.get(name, "") + TOKENS[name]
    redacted = redact(SURROUNDINGS[around](f"{before} {token} {after}"))
    assert token not in redacted or token in f"{before} {after}"


UNITS = [
    *["a", '"', "=", ":", "eyJ", ".eyJ", "eyJ.", "://", "1//0", "-----BEGIN", "-", "_", "\\", "\n", "{", "密"],
    *["ghp_", "sk-", "sk-a1", "token:", "token=", "password='", 'password="', 'token:\\"', "password value:"],
    *[
        "cookie:a=b;",
        "==cookie:a=b;-",
        "authorization: bearer ",
        "https://a:b",
        "curl -u a",
        " --token ",
        "password is ",
    ],
    *[BEGIN + "\n", "machine a login b password", "SG.", "12345678:AA", TOKENS["aws key id"], TOKENS["openai"] + "="],
]


@pytest.mark.parametrize("unit", UNITS)
def test_time_grows_with_the_length_and_not_with_its_square(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        redact(text)
        return time.process_time() - start

    short = max(min(seconds(20_000) for _ in range(3)), 0.002)
    long = min(seconds(200_000) for _ in range(3))
    assert long < 40 * short  # 10 times the length; 100 times the work if it were its square
