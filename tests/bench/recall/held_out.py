"""The book that is measured with: written by somebody who had not seen how passages are ranked, after that was finished."""

from .wordings import Book, Component, Symptom

HELD_OUT = Book(
    components=(
        Component("playlist shuffle", "music/shuffle.py", "deal_tracks", "test_no_artist_twice_in_a_row"),
        Component("ward roster", "hospital/roster.py", "assign_nurses", "test_rest_after_night_shift"),
        Component("type checker", "compiler/checker.py", "unify_types", "test_generic_alias"),
        Component("meter reader", "energy/meter.py", "read_telegram", "test_negative_feed_in"),
        Component("seat map", "theatre/seats.py", "hold_seats", "test_two_buyers_one_seat"),
        Component("subtitle editor", "video/subtitles.py", "shift_cues", "test_overlapping_cues"),
        Component("recipe scaler", "kitchen/recipes.py", "scale_amounts", "test_half_an_egg"),
        Component("parcel router", "parcels/router.py", "choose_depot", "test_closed_depot_is_avoided"),
    ),
    strangers=(
        Component("loan ledger", "bank/ledger.py", "post_interest", "test_interest_in_short_month"),
        Component("puzzle solver", "puzzles/solver.py", "propagate_marks", "test_unsolvable_grid"),
        Component("badge printer", "events/badges.py", "lay_out_badge", "test_long_name_wraps"),
    ),
    symptoms=(
        Symptom("showed yesterday's numbers until noon", "show outdated numbers"),
        Symptom("hung after the laptop woke up", "hang on wake-up"),
        Symptom("ignored every change made on a phone", "ignore changes from phones"),
        Symptom("put accented names in the wrong order", "sort names with accents wrongly"),
        Symptom("went quiet after roughly an hour", "stop responding after an hour"),
        Symptom("accepted input it should refuse", "let invalid input through"),
        Symptom("ran an hour late last Sunday", "run one hour late"),
        Symptom("needed ten times as long as before", "get so slow"),
    ),
    causes=(
        "the response header told the browser to keep it for a day",
        "the socket was never reopened after suspend",
        "the sync only merged records with a newer local timestamp",
        "names were compared byte by byte and not by locale",
        "the access token ran out and nobody renewed it",
        "the validator only looked at the first item",
        "the offset for summer time was added a second time",
        "a missing index turned each lookup into a full scan",
    ),
    libraries=(
        ("FFmpeg", "GStreamer", "its plugins differ on every distribution"),
        ("OR-Tools", "Gurobi", "the license costs more than the rest of the project"),
        ("tree-sitter", "ANTLR", "its generated parsers take half a minute to build"),
        ("MQTT", "websockets", "the devices sleep too long to hold a connection"),
        ("DuckDB", "Spark", "a cluster is overkill for two gigabytes"),
    ),
    settings=(
        ("sampling rate", "hertz"),
        ("grace period", "hours"),
        ("upload limit", "kilobytes"),
        ("lookahead", "tokens"),
        ("alarm threshold", "watts"),
    ),
    errors=(
        "OverflowError: int too large to convert",
        "ConnectionResetError: peer closed the socket",
        "assert 59.9 == 60.0",
        "LookupError: unknown depot 'north-2'",
        "StopIteration: ran past the final cue",
        "JSONDecodeError: Expecting value: line 1 column 1",
    ),
    fixes=(
        "rounding happens once, after the sum",
        "unknown names raise early instead of returning None",
        "we reconnect when the peer hangs up",
        "an empty body counts as no data",
        "the iterator gets a sentinel at the end",
        "amounts are held as fractions, not floats",
    ),
    reports=(
        "A customer wrote in: the {component} {did}. Could you have a look?",
        "The {component} {did} during the demo today, what happened there?",
        "Got a new ticket, it says the {component} {did}. Please investigate.",
    ),
    cause_told=(
        "I know now why the {component} {did}: {cause}.",
        "The {component} {did}. Reason: {cause}, you can see it in {function}.",
        "With some extra logging it is clear: {cause}, which is why the {component} {did}.",
    ),
    cause_short=(
        "Tracked it down, {cause}. The patch is in {file}.",
        "It was this: {cause}.",
    ),
    cause_asked=(
        "What was the underlying problem when we saw the {component} {do}?",
        "Why did the {component} {do}? I think we investigated that some weeks ago.",
        "Has it been found out what led the {component} to {do}?",
    ),
    choice_told=(
        "Go with {used} in the {component}. I would rather avoid {unused}: {drawback}.",
        "We had {unused} in mind for the {component}, but {drawback}. Take {used}.",
        "The {component} should rely on {used}, {unused} is not an option because {drawback}.",
    ),
    choice_asked=(
        "Why does the {component} use {used} and not {unused}?",
        "Is there a known objection to {unused} for the {component}, where we have {used} now?",
        "I'm tempted to replace {used} with {unused} in the {component}. Was that discussed?",
    ),
    value_told=(
        "Start the {component} with {value} {unit} as its {setting}.",
        "The {component} should run with a {setting} of {value} {unit}.",
        "Let's say {value} {unit} for the {setting} in the {component}.",
    ),
    value_changed=(
        "The {setting} we have in the {component} did not hold up in practice, use {value} {unit} instead.",
        "Correction for the {component}: {value} {unit} is the {setting} to use.",
        "Please adjust the {component}, {setting} is now {value} {unit}.",
    ),
    value_asked=(
        "Which value did we agree on for the {setting} in the {component}?",
        "What {setting} is the {component} supposed to have?",
        "I need the {setting} for the {component}, what is the latest number?",
    ),
    fix_told=(
        "{test} is passing again, what helped: {fix}.",
        "I changed {file}: {fix}. That was enough for {test}.",
        "Done, {fix}. {test} and its neighbours all pass.",
    ),
    fix_asked=(
        "How did we resolve the failing {test}?",
        "What had to be changed so that {test} would pass?",
        "{test} broke once before, what was the remedy?",
    ),
    failure_asked=(
        'Which {component} test gave us "{error}"?',
        "What did the failure of {test} look like?",
        "With which message did {test} fail, the one for the {component}?",
    ),
    place_told=(
        "For the {component} the interesting part is {function}, you find it in {file}.",
        "{file} holds the heart of the {component}: everything goes through {function}.",
    ),
    place_asked=(
        "Where do I find the central function of the {component}?",
        "Where in the code is the {component} implemented, which function matters most?",
    ),
    lesson_told=(
        "Run {test} with a fixed seed; without one the {component} passes or fails by luck.",
        "{function} blocks until the disk answers, so the {component} may not call it from an event handler.",
        "Bump the version number in {file} whenever the format of the {component} changes, old clients break silently otherwise.",
    ),
    lesson_asked=(
        "{test} for the {component} is flaky on my machine, is there something to set before running it?",
        "Can I call {function} straight from an event callback in the {component}?",
        "I am about to change the data format of the {component}, what do I have to remember?",
    ),
    measured_told=("{component} throughput: cold {low} req/s, cached {value} req/s",),
    measured_asked=(
        "How many requests per second does the {component} manage with a filled cache?",
        "What throughput did we measure for the {component} when caching is on?",
    ),
    chatter=(
        "I start by reading {function}, then the callers.",
        "Nothing suspicious in the {component} so far.",
        "{file} still has two unused imports.",
        "Can we get a short comment above {function}?",
        "Linting is clean for {file}.",
        "Squash the {component} commits before merging, please.",
        "I'd like to see {test} before we go on.",
        "The {component} is next on my list.",
    ),
    never_asked=(
        "Which browser versions was the {component} certified for?",
        "What did the security audit of the {component} cost?",
        "Who is on call for the {component} at weekends?",
        "Which fonts may be used in the {component}?",
    ),
)
