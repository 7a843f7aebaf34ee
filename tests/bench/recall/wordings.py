"""What made-up sessions talk about: two books that share no sentence. Ranking is worked on with these, and measured with
a third (`held_out`).

A sentence of a book has gaps in braces; `histories` fills them. What is said and what is asked later differ in words and
in forms of words, as they do between people: only names of things are sure to be the same.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a program: its name, its file, a function and a test in it."""

    name: str
    file: str
    function: str
    test: str


@dataclass(frozen=True, slots=True)
class Symptom:
    """Something that goes wrong: as it is reported (`did`) and as it is asked about (`do`)."""

    did: str
    do: str


@dataclass(frozen=True, slots=True)
class Book:
    """One half of the world. Each tuple of sentences: one is chosen for each thing that happens."""

    components: tuple[Component, ...]
    strangers: tuple[Component, ...]
    """Parts that no project of the history has."""
    symptoms: tuple[Symptom, ...]
    causes: tuple[str, ...]
    libraries: tuple[tuple[str, str, str], ...]
    """(what is used, what is not, what speaks against that)."""
    settings: tuple[tuple[str, str], ...]
    """(name, unit)."""
    errors: tuple[str, ...]
    fixes: tuple[str, ...]
    reports: tuple[str, ...]
    cause_told: tuple[str, ...]
    cause_short: tuple[str, ...]
    """The cause without the name of the part: only what stands before says what it is about."""
    cause_asked: tuple[str, ...]
    choice_told: tuple[str, ...]
    choice_asked: tuple[str, ...]
    value_told: tuple[str, ...]
    value_changed: tuple[str, ...]
    value_asked: tuple[str, ...]
    fix_told: tuple[str, ...]
    fix_asked: tuple[str, ...]
    failure_asked: tuple[str, ...]
    place_told: tuple[str, ...]
    place_asked: tuple[str, ...]
    lesson_told: tuple[str, ...]
    lesson_asked: tuple[str, ...]
    measured_told: tuple[str, ...]
    measured_asked: tuple[str, ...]
    chatter: tuple[str, ...]
    never_asked: tuple[str, ...]
    """Questions about a known part that nobody ever spoke about."""


FIRST = Book(
    components=(
        Component("checkout retry", "shop/checkout.py", "charge_again", "test_charge_once"),
        Component("session cache", "cache/sessions.py", "evict_oldest", "test_eviction_order"),
        Component("export queue", "jobs/export.py", "drain_queue", "test_drain_is_complete"),
        Component("image resizer", "media/resize.py", "fit_inside", "test_portrait_fits"),
        Component("webhook receiver", "hooks/receive.py", "verify_signature", "test_bad_signature"),
        Component("audit log", "audit/writer.py", "append_entry", "test_entries_in_order"),
        Component("search index", "search/index.py", "merge_segments", "test_merge_keeps_rows"),
        Component("price calculator", "shop/prices.py", "round_total", "test_rounding"),
    ),
    strangers=(
        Component("chat gateway", "chat/gateway.py", "fan_out", "test_fan_out"),
        Component("loyalty programme", "loyalty/points.py", "add_points", "test_points"),
        Component("warehouse scanner", "warehouse/scan.py", "read_label", "test_label"),
    ),
    symptoms=(
        Symptom("charged customers twice", "charge a customer two times"),
        Symptom("dropped the last row", "drop rows at the end"),
        Symptom("ran out of memory on large files", "run out of memory"),
        Symptom("blocked for minutes after a restart", "block after restarting"),
        Symptom("returned stale totals", "return totals that were stale"),
        Symptom("rejected valid requests", "reject a valid request"),
        Symptom("wrote duplicate entries", "write entries twice"),
        Symptom("rotated portrait pictures", "rotate pictures"),
    ),
    causes=(
        "the second attempt carried no idempotency key",
        "the loop stopped one element before the end",
        "every page was kept until the whole file had been read",
        "the advisory lock outlived the process that held it",
        "the cache key left out the currency",
        "the clock of the worker was compared without its zone",
        "two consumers shared one offset",
        "the orientation tag was applied after scaling",
    ),
    libraries=(
        ("Redis", "Memcached", "it cannot evict by group"),
        ("httpx", "aiohttp", "its timeouts do not cover the connect phase"),
        ("Pillow", "ImageMagick", "a subprocess for each picture costs too much"),
        ("SQLite", "Postgres", "nobody wants to run a server for it"),
        ("orjson", "simplejson", "it is five times slower on our payloads"),
    ),
    settings=(
        ("timeout", "seconds"),
        ("batch size", "rows"),
        ("retry limit", "attempts"),
        ("cache lifetime", "minutes"),
        ("queue depth", "jobs"),
    ),
    errors=(
        "Expected 1 charge, observed 2 charges",
        "KeyError: 'currency'",
        "assert 41 == 42",
        "TimeoutError: lock was not released",
        "ValueError: signature has the wrong length",
        "UnicodeDecodeError: invalid continuation byte",
    ),
    fixes=(
        "the key is made once and handed to both attempts",
        "the range includes its end",
        "pages are streamed",
        "the lock is tied to the connection",
        "the currency is part of the key",
        "both sides compare UTC",
    ),
    reports=(
        "The {component} {did} again. Find out why.",
        "Since yesterday the {component} has a fault: it {did}. Please look into it.",
        "Support says the {component} {did}.",
    ),
    cause_told=(
        "The {component} {did} because {cause}.",
        "Found it. In {file} {cause}, so the {component} {did}.",
        "Cause of the fault in the {component}: {cause}; that is why it {did}.",
    ),
    cause_short=("Found it: {cause}.", "The reason is simple: {cause}. I changed {function}."),
    cause_asked=(
        "Why did the {component} {do}?",
        "What made the {component} {do}?",
        "What was the reason for the {component} to {do}?",
    ),
    choice_told=(
        "Use {used} for the {component}, not {unused}: {drawback}.",
        "We stay with {used} in the {component}. {unused} is out, since {drawback}.",
    ),
    choice_asked=(
        "Why was {used} chosen over {unused} for the {component}?",
        "What speaks against {unused} in the {component}?",
    ),
    value_told=(
        "Set the {setting} of the {component} to {value} {unit}.",
        "For the {component} a {setting} of {value} {unit} is right.",
    ),
    value_changed=(
        "The {setting} of the {component} must go up to {value} {unit}, the old one was too small.",
        "Change the {component}: its {setting} is {value} {unit} from now on.",
    ),
    value_asked=("What is the {setting} of the {component}?", "Which {setting} does the {component} use?"),
    fix_told=("{test} passes now: {fix}.", "Fixed in {file}: {fix}, and {test} is green."),
    fix_asked=("How did we get {test} to pass?", "What was the fix for {test} failing?"),
    failure_asked=(
        'Which test of the {component} failed with "{error}"?',
        "When did {test} fail, and with what error?",
    ),
    place_told=("{function} in {file} is where the {component} decides what to do next.",),
    place_asked=("In which file does the {component} decide what comes next?",),
    lesson_told=(
        "Never call {function} of the {component} inside a transaction; it opens its own.",
        "When the {component} is changed, run {test} with two workers, else the race stays hidden.",
    ),
    lesson_asked=(
        "What must not be done with {function} in the {component}?",
        "What should I mind when changing the {component}, races and workers?",
    ),
    measured_told=("load test {component}: p50 {low} ms, p95 {value} ms, 0 errors",),
    measured_asked=("What p95 did the load test of the {component} show?",),
    chatter=(
        "Let me look at the {component} in {file} first.",
        "The {component} looks fine, I go on with the tests.",
        "I read {file}; {function} is called from two places.",
        "Next I will clean up the imports of {file}.",
        "The tests of the {component} pass.",
        "Rename the helper in {file}, please.",
        "Add a docstring to {function}.",
        "Is the {component} covered by the nightly run?",
    ),
    never_asked=(
        "Which licence does the {component} have?",
        "Who reviewed the accessibility of the {component}?",
        "What colour scheme does the {component} follow?",
        "How many translators worked on the {component}?",
    ),
)

SECOND = Book(
    components=(
        Component("timetable importer", "ferry/importer.py", "parse_calendar", "test_calendar_gaps"),
        Component("login throttle", "auth/throttle.py", "count_attempt", "test_lockout_expires"),
        Component("invoice renderer", "billing/render.py", "paginate_lines", "test_long_invoice"),
        Component("sensor bridge", "bridge/sensors.py", "decode_frame", "test_truncated_frame"),
        Component("backup job", "ops/backup.py", "rotate_archives", "test_rotation_keeps_week"),
        Component("feature flags", "flags/evaluate.py", "pick_variant", "test_sticky_variant"),
        Component("tile server", "maps/tiles.py", "clip_polygon", "test_antimeridian"),
        Component("mail digest", "mail/digest.py", "group_threads", "test_threads_grouped"),
    ),
    strangers=(
        Component("speech recogniser", "speech/recognise.py", "split_phonemes", "test_phonemes"),
        Component("coupon generator", "coupons/generate.py", "mint_coupon", "test_coupons_unique"),
        Component("drone planner", "drone/plan.py", "avoid_towers", "test_towers"),
    ),
    symptoms=(
        Symptom("skipped the leap day", "skip a leap day"),
        Symptom("locked out innocent users", "lock users out"),
        Symptom("printed blank pages", "print pages that are blank"),
        Symptom("crashed on short frames", "crash when a frame is short"),
        Symptom("deleted last night's archive", "delete archives"),
        Symptom("switched variants between visits", "switch the variant of a visitor"),
        Symptom("drew polygons across the ocean", "draw a polygon over the ocean"),
        Symptom("mailed the same summary to everybody", "mail one summary to all"),
    ),
    causes=(
        "the year was taken from the header line instead of the row",
        "the counter was shared by everyone behind one proxy address",
        "a page break was emitted before the height was known",
        "the length byte was trusted without looking at the buffer",
        "the retention window was measured from the wrong midnight",
        "the hash was seeded with the start time of the process",
        "longitudes were not unwrapped before clipping",
        "the recipient list was a mutable default argument",
    ),
    libraries=(
        ("RabbitMQ", "Kafka", "three brokers are too many for forty messages an hour"),
        ("WeasyPrint", "wkhtmltopdf", "it is no longer maintained"),
        ("msgpack", "protobuf", "the schema compiler does not run on the device"),
        ("restic", "tar", "deduplication saves nine tenths of the space"),
        ("shapely", "our own clipping", "it fails near the poles"),
    ),
    settings=(
        ("window", "minutes"),
        ("page height", "millimetres"),
        ("retention", "days"),
        ("poll interval", "milliseconds"),
        ("zoom limit", "levels"),
    ),
    errors=(
        "IndexError: bytearray index out of range",
        "AssertionError: 28 days, wanted 29",
        "PermissionError: archive is read-only",
        "assert 'blue' == 'green'",
        "ZeroDivisionError: polygon without area",
        "SMTPException: no recipients",
    ),
    fixes=(
        "the year comes from the row",
        "attempts are counted by account and address",
        "the height is measured first",
        "the length is checked against what arrived",
        "midnight is that of the station",
        "the seed is the visitor's id",
    ),
    reports=(
        "Users complain: the {component} {did}. What is going on?",
        "Another incident with the {component}, it {did}.",
        "Please debug the {component}; on Monday it {did}.",
    ),
    cause_told=(
        "Root cause for the {component}: {cause}. Therefore it {did}.",
        "It {did} since {cause}; the {component} itself is sound.",
        "I can reproduce it: {cause}, and then the {component} {did}.",
    ),
    cause_short=("Reproduced. {cause}, nothing else.", "Solved: {cause}. {function} is corrected."),
    cause_asked=(
        "How come the {component} would {do}?",
        "Explain the incident where the {component} began to {do}.",
        "What was behind the {component} starting to {do}?",
    ),
    choice_told=(
        "For the {component} I want {used}. I do not want {unused}, because {drawback}.",
        "{unused} was considered for the {component} and dropped: {drawback}. It will be {used}.",
    ),
    choice_asked=(
        "Why don't we take {unused} for the {component}?",
        "What is the argument for {used} instead of {unused} in the {component}?",
    ),
    value_told=(
        "Let the {component} have a {setting} of {value} {unit}.",
        "{value} {unit} will do as the {setting} of the {component}.",
    ),
    value_changed=(
        "I measured again: make the {setting} in the {component} {value} {unit}.",
        "The {component} gets a new {setting}, {value} {unit}; forget the earlier one.",
    ),
    value_asked=(
        "How large is the {setting} in the {component}?",
        "Tell me the current {setting} for the {component}.",
    ),
    fix_told=("Now {test} is happy, {fix}.", "The change in {file} is small: {fix}. {test} no longer fails."),
    fix_asked=("What did it take to make {test} succeed?", "How was {test} repaired?"),
    failure_asked=('Where have we seen "{error}" in the {component}?', "What did {test} complain about when it broke?"),
    place_told=("The {component} makes up its mind in {file}, function {function}.",),
    place_asked=("Which function holds the decision logic of the {component}, in what file?",),
    lesson_told=(
        "{function} is not thread safe: the {component} needs one instance per worker.",
        "Fixtures of the {component} are recorded; refresh them before trusting {test}.",
    ),
    lesson_asked=(
        "Can {function} be shared between threads in the {component}?",
        "Are the recorded fixtures of the {component} to be trusted?",
    ),
    measured_told=("profile of {component}: {value} MB at peak, {low} MB after the run",),
    measured_asked=("How many MB did the {component} need at its peak in the profile?",),
    chatter=(
        "Opening {file} to see how the {component} works.",
        "All checks of the {component} are fine.",
        "{function} has no callers outside {file}.",
        "I will reformat {file} afterwards.",
        "Could you shorten the docstring of {function}?",
        "The {component} was touched last week.",
        "Move {function} below the constants.",
        "Does the {component} need a changelog line?",
    ),
    never_asked=(
        "Which supplier delivers the hardware under the {component}?",
        "What did legal say about the {component}?",
        "Who paints the icons of the {component}?",
        "Which conference talk covered the {component}?",
    ),
)
