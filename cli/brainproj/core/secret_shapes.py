"""What secrets look like: the shapes of known credentials, and the names that say a value is one. Tables only.

`redact` searches with them. Each shape names the source of its format. Patterns begin at a rare character, for speed;
those in `bytes` are searched in a text's Latin-1 bytes, and the ones that read backwards in those bytes folded.
"""

import re
from collections.abc import Sequence

FOLD = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ-:>", b"abcdefghijklmnopqrstuvwxyz_==")
"""One letter for what means the same to the patterns that read backwards."""

SHAPES = {
    # AWS: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
    # Google API keys: https://cloud.google.com/docs/authentication/api-keys. Atlassian's tokens begin ATATT3.
    "A": rb"A(?:[KS]IA[A-Z0-9]{16,}|Iza[\w-]{30,}|TATT3[\w=-]{20,})",
    # JWT, RFC 7519: a base64url JSON object begins eyJ. A run is always taken whole: linear on eyJeyJeyJ.
    "J": rb"J(?<=eyJ)(?:(?<=(eyJ))([\w-]*+\.eyJ[\w-]*+(?:\.[\w-]*+)?)|[\w-]*+)",
    # Discord bots (user id, time, digest); SendGrid; Google OAuth access tokens; HashiCorp Vault
    ".": rb"\.(?=[\w-]{6}(?:\.[\w-]{27}|[\w-]{10}))(?:"
    rb"(?:(?<=([MNO][\w-]{23}\.))|(?<=([MNO][\w-]{25}\.)))([\w-]{6}\.[\w-]{27,})"
    rb"|(?<=(?<![A-Z])(SG\.))([\w-]{16,}\.[\w-]{16,})|(?<=(ya29\.))([\w.-]{16,})|(?<=(hv[sbr]\.))([\w-]{20,}))",
    # Google OAuth refresh tokens; Slack and Discord webhooks; user:password@host (RFC 3986, 3.2.1), where the password
    # should not, and often does, hold @ / ? #
    "/": rb"//(?:(?<=(1//))(0[\w-]{20,})|(?<=://)(?:hooks\.slack\.com/[a-z]+/([\w/+-]{16,})"
    rb"|discord(?:app)?\.com/api/webhooks/[0-9]+/([\w-]{20,})"
    rb"|(?P<any>(?:(?=\w{0,80}[0-9])(?=\w{0,80}[A-Z])\w{10,}+|\w{20,}+)(?::[^\s/?#@\"'<>\\`]*+)?)@(?=[\w\[])"
    rb"|[^\s/?#:@\"'<>\\`\[]*+:(?:(?P<password>[^\s/?#\"'<>\\`]+)@(?=[\w\[])(?!sha[0-9]|[\w.-]*+[!#^&*@])"
    rb"|(?![0-9]{1,5}[/?#])(?P<address>[^\s\"'<>\\`]{3,256}?)@(?=[\w.-]+(?::[0-9]+)?(?:[/?\s\"'`\\]|\Z)))))",
    # RFC 6750, where the name of the header is not before it
    "B": rb"B(?:earer|EARER) +(?P<any>(?=[\w.~+/=-]{0,99}[0-9])[\w.~+/=-]{12,}|[\w.~+/=-]{24,})",
}
"""By what a text must have in it for the pattern to be tried. The groups of a match are hidden, or the whole where it
has none; a group that is named after a kind of LOOKS only if it looks so."""
SPACED = {
    "-": rb"-(?:B(?<=-----B)EGIN [A-Z0-9 ]{0,40}(?P<pem>PRIVATE KEY)(?: BLOCK)?-----"
    rb"|u(?<=\s-u) +[^\s:\"'\\]{1,99}(?P<curl>:)|-(?<![!-]--)[A-Za-z-]{0,30}?"
    rb"(?:(?P<password>pass(?:word|wd|phrase)?)|(?P<secret>token|secret|(?:api|access|secret|private|auth)-?key)) +)",
    "w": rb"w(?<=ssw)ord (?:(?P<said>is )|(?P<netrc>))",
}
"""Likewise: after what a value stands without a separator (options, .netrc, a sentence), and where a key begins."""
NEEDS = {
    "curl": re.compile("curl"),
    # https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html
    "netrc": re.compile(r"(?:machine\s+\S+|default)(?:\s|\\n)+login\s+\S+(?:\s|\\n)+pass\Z"),
}
"""What must stand in the 300 characters before."""
PEM_GAP = rb"(?:\s|\\+(?:[nrt]|u[0-9a-f]{4})|[0-9]{1,6}(?:[\t?|:]|(?=\\+[tu]))|[\"',+>|:?*]|-(?!----END))*+"
PEM_REST = re.compile(
    rb"(?:%b(?:[A-Za-z0-9+/=]{16,}+|(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\\"]{0,200}))++"
    rb"(?:%b[A-Za-z0-9+/=]{0,15}+%b-----END[A-Z0-9 ]{0,60}-----|%b[A-Za-z0-9+/=]{1,15}+(?=[\s\"'\\]*\Z))?"
    % (PEM_GAP, PEM_GAP, PEM_GAP, PEM_GAP)
)
"""RFC 7468, also escaped, numbered, in a diff or in quotes, and cut off: the lines of base64 that follow BEGIN."""
PEM_LINE = re.compile(rb"\\+(?:u[0-9a-fA-F]{4}|.)|([A-Za-z0-9+/=]{8,}+)")

PREFIXES = {
    # https://github.blog/engineering/behind-githubs-new-authentication-token-formats/
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_": r"\w{20,}",
    # https://docs.gitlab.com/security/tokens/#token-prefixes
    "glpat- gloas- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glwt- glsoat- glffct-": r"[\w.-]{15,}",
    # OpenAI, Anthropic and who copied them: sk-, sk-proj-, sk-ant-api03-
    "sk-": r"(?=[\w-]{0,99}\d)(?=[\w-]{0,99}?[A-Za-z0-9]{12})[\w-]{20,}",
    # https://api.slack.com/authentication/token-types
    "xoxa- xoxb- xoxp- xoxr- xoxs- xoxe- xoxc- xoxd- xapp-": r"(?=[\w%-]{0,40}\d)[\w%-]{10,}",
    # https://docs.stripe.com/keys and https://docs.stripe.com/webhooks
    "sk_live_ sk_test_ rk_live_ rk_test_ whsec_": r"[A-Za-z0-9+/=]{16,}",
    # npm, Hugging Face, Groq, Replicate, Linear, Notion, Figma, Supabase, Docker Hub, Shopify, RubyGems
    "npm_ hf_ gsk_ r8_ lin_api_ ntn_ figd_ sbp_ dckr_pat_ shpat_ shpss_ rubygems_": r"[A-Za-z0-9-]{20,}\w*",
    # https://docs.digitalocean.com/reference/api/create-personal-access-token/
    "dop_v1_ doo_v1_ dor_v1_": r"[a-f0-9]{32,}",
    # https://pypi.org/help/#apitoken (a macaroon for pypi.org)
    "pypi-": r"AgE[\w-]{16,}",
    # Google OAuth client secrets
    "GOCSPX-": r"[\w-]{16,}",
    # https://age-encryption.org/v1 (Bech32)
    "AGE-SECRET-KEY-": r"1[A-Z0-9]{30,}",
    # xAI, Perplexity, NVIDIA, Tavily, Grafana, Pulumi, Tailscale, Postman, Brevo
    "xai- pplx- nvapi- tvly- glsa_ pul- tskey- PMAK- xkeysib-": r"(?=[\w-]{0,60}\d)[\w-]{24,}",
}
WORD = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=[0-9;\[]m))"
"""The start of a word, also right after an escape as JSON writes it or a colour code; asked of short prefixes."""
PREFIXED = re.compile(
    "|".join(WORD * (len(word) < 4) + word + body for words, body in PREFIXES.items() for word in words.split())
)


def _backwards(words: Sequence[str], then: str = "") -> str:
    """Alternatives for any of `words` spelled backwards, and `then`. Each begins with a letter, which is fast."""
    ends = sorted({word[-1] for word in words})
    return "|".join(f"{end}(?:{'|'.join(word[-2::-1] for word in words if word[-1] == end)}){then}" for end in ends)


PREFIXED_BACKWARDS = re.compile(
    f"_(?:{_backwards([word[:-1] for words in PREFIXES for word in words.lower().replace('-', '_').split()])})".encode()
)
KEYS = ("api", "access", "secret", "private", "signing", "encryption", "master", "account", "auth", "service")
STAGES = ("prod", "production", "dev", "staging", "test", "live")
NOUN = (
    r"nekot|terces|laitnederc|noitazirohtua|d(?:row[_ ]?ssap|wssap|wp)|e(?:sarhp[_ ]?ssap|docssap|ikooc)"
    rf"|(?:ssap|htua|gis|erutangis)(?![a-z])|yek(?:(?=[?&])|[_ ]?(?:{_backwards(KEYS)}))"
)
QUOTES = r"[\]\"'\\`*?]{0,40}+"
NAMED = re.compile(
    rf"=[ \t]{{0,30}}+{QUOTES}(?:{NOUN}|s(?:{NOUN})|eulav{QUOTES}(?:[\s,]|[nrt]\\{{1,15}})++{QUOTES}s?(?:{NOUN})"
    rf"|{_backwards(STAGES, f'_(?:{NOUN})')}|[0-9][0-9]?_?(?:{NOUN})|[0-9][0-9]{{7}}(?<=[0-9a-z_]{{30}}aa=[0-9]{{8}}))"
    r"[0-9a-z_]{0,40}".encode()
)
"""Backwards: a separator, a name that ends in a noun, or its `value:` (Kubernetes, .NET), and the name's start; or the
number of a Telegram bot, https://core.telegram.org/bots/api#authorizing-your-bot"""

NAME = re.compile(r"[\w-]*(?: (?:key|word|phrase))?", re.ASCII)
NAME_QUOTE = re.compile(r"(\\*)([\"'`])\]?[*?]*[ \t]*.\Z", re.DOTALL)
BOT_TOKEN = re.compile(r"AA[\w-]{30,}")
KIND = re.compile(
    r"(?:(?P<password>pass[ _-]?(?:word|wd|phrase|code)|pwd|pass)|(?P<signature>sig(?:nature)?)|(?P<cookie>cookie)"
    r"|(?P<authorization>authorization)|(?P<auth>auth)|(?P<token>^[_-]*token)|(?P<key>^key)"
    rf"|(?P<secret>token|secret|key|credential))s?(?:[_-]?\d+|[_-](?:{'|'.join(STAGES)}))?$"
)
OPERATOR = re.compile(r"[:=>]{1,3}")
NUMBER = re.compile(r"[ \t]*-?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Infinity)(?![\w.%/+=@!-])")
AFTER = re.compile(
    r"[ \t]*+(?:\*\*[ \t]*+)?(?:[\w.\[\]|?]{1,40}[ \t]{0,9}=[ \t]{0,9}(?=[rbfuRBFU]{0,2}\\*[\"'`]))?"
    r"(?:(?P<lead>[rbfuRBFU]{0,2})(?P<slashes>\\*+)(?P<quote>[\"'`]))?"
)
"""What may stand before a value: blanks, bold's stars, a type with its `=`, the quote that opens."""
MARKS = re.compile(r"(?<!\\)(\\*+)([\"'`\n])")
JSON_STRING_ENDS = re.compile(r"\s*(?:[,:}\]]|\Z)")
OUTSIDE = re.compile(r"[\s,}\]:)]")
"""What follows a quote that closed the string which the name is in, and is not how a secret begins."""
TO_THE_END = re.compile(r"[^\"'`\\\n]+\Z")
XML_VALUE = re.compile(r"[^<>\"\\\n]{1,512}(?=</)")
BARE = re.compile(r"[^\s\"'`<>\\,;|&(){}\[\]，。；：、）」】]+")
BARE_PASSWORD = re.compile(r"(?:[^\s\"'`<>\\,;|&，。；：、）」】]|[|&](?![\s|&]|[\w.%-]{1,40}=))+")
TRAILING = ".,:;)}]|&"
EXPRESSION = re.compile(r"[A-Za-z_$][\w$]*+(?:(?:\?\.|\.|::)[A-Za-z_$][\w$]*+)*+")
SCHEME = re.compile(r"(?i:bearer|basic|token|bot|api-?key|digest|negotiate|key|jwt|oauth|splunk)(?:[ \t]+|%20)")
CREDENTIALS = re.compile(r"(?=[a-z]{0,80}[0-9A-Z]|\S{16})(?![A-Z][a-z]*(?![\w.~+/=%:-]))[\w.~+/=%:-]{6,}")
COOKIE = re.compile(r"([\w.%-]{1,99})=([^;=\s\"'\\,]{0,4096}+={0,2}+)(; ?)?")
SESSION = re.compile(r"(?i)sess|sid$|auth|token|jwt|csrf|xsrf|secret")

NEVER = re.compile(
    r"[\W_]*|[xX*.•…#-]+|\$[A-Za-z_{(].*|%[A-Za-z_]+%|(?:%[sdr]\W*)+|.*(?:\$\{|\{\{|#\{|%\(|\$\().*|<.*>|\[.*\]|\{.*\}"
    r"|(?:[A-Z][A-Z0-9]*_)+(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD)S?|0x[0-9A-Fa-f]{1,16}"
    r"|(?:os\.environ|process\.env|import\.meta|env|secrets?|vars?|config|settings|self|this|data|local)\..*"
    r"|https?://.*|/[a-z]+|(?:~|\.{1,2}|/[A-Za-z._-]+)/[^+=]*|.*(?:a-z|A-Z|0-9|\\[wdsWDSb]).*"
    r"|[\w./@-]*\.(?:py|tsx?|jsx?|go|rs|md|json|ya?ml|toml|txt|pem|key|html)\b.*",
    re.DOTALL,
)
"""No secret whatever its name: neither letter nor digit, a mask, a template, a variable, a path, a pattern."""
COMMON_WORDS = """
your my the a an new old current confirm repeat enter insert add put here goes is in of for and or not no yes on off
value values string str text char varchar bytes int integer bool boolean any object unknown number type optional
required none null nil undefined true false default empty final list dict tuple example placeholder dummy sample
changeme change me todo tbd redacted hidden masked secret secrets token tokens password passwords passwd pwd passphrase
pass key keys api apikey access refresh auth authorization authentication bearer basic id client private public
credential credentials cookie session header env var config settings field input label must to with at least same
origin include omit use"""
COMMON = frozenset(COMMON_WORDS.split())
"""Words that make no secret, alone or joined."""
BETWEEN_WORDS = re.compile(r"[\s_.,:;!?/'’-]+|(?<=[a-z])(?=[A-Z])")
LETTER, NOTHING = r"(?=.*[A-Za-z])", r"(?!)"
GIVEN, PLAIN = LETTER + r"(?![a-z]{1,11}$)\S{6,}", LETTER + r"(?=\D*+\d\D*+\d)\S{8,}"
A_NAME = r"(?![a-z]+(?:[-_.][a-z]+)*[-_.](?:token|secret|key|password)s?$)"
A_LEXEME = r"(?![a-z]+(?:[._][a-z]+)*$|[A-Z_]+$|[a-z]*+(?:[A-Z][a-z]++){0,3}$)"
BASE64 = r"(?=.*[0-9=]|[a-z]+[A-Z])[A-Za-z0-9+/]{10,}={0,2}"
LOOKS = {
    "password": (r".{3,}", r".{3,}", LETTER + r"(?:(?=.*\d).{5,}|(?=.*[-!@#$%^&*+~?/=]).{6,})"),
    "secret": (A_NAME + LETTER + r"(?=.{8}|.*\d)\S{6,}", GIVEN, PLAIN),
    "token": (A_LEXEME + LETTER + r"\S{8,}", GIVEN, PLAIN),
    "auth": (BASE64, BASE64, BASE64),
    "key": (NOTHING, r"(?=.*\d)(?=.*[A-Za-z])[\w.%+/=-]{16,}", NOTHING),
    "signature": (NOTHING, r"[\w%+/=-]{20,}", NOTHING),
    "said": (NOTHING, r"(?=.*[A-Z])(?=.*[a-z])(?=.*\d)\S{8,}|(?!\w+=)(?=.*[a-z])(?=(?:\D*+\d){4})\S{8,}", NOTHING),
    "address": (NOTHING, r".{3,}", NOTHING),
    "any": (NOTHING, r".+", NOTHING),
}
"""How a secret of each kind looks in quotes; *given* to a command, in an address or in the environment; and *plainly*,
where code and prose stand too."""
STYLES = ("quoted", "given", "plain")
LOOKS_PATTERNS = {
    (kind, style): re.compile(pattern, re.DOTALL)
    for kind, patterns in LOOKS.items()
    for style, pattern in zip(STYLES, patterns, strict=True)
}
