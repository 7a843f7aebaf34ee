"""The third book: written by somebody who had not seen how passages are ranked; only its totals were looked at."""

from .wordings import Book, Component, Symptom

THIRD = Book(
    components=(
        Component("save loader", "game/saves.py", "restore_world", "test_old_save_opens"),
        Component("gripper control", "robot/gripper.py", "close_jaws", "test_soft_object_survives"),
        Component("shell completion", "shell/completion.py", "suggest_words", "test_hidden_flags_omitted"),
        Component("undo history", "editor/undo.py", "collapse_steps", "test_typing_is_one_step"),
        Component("crowd steering", "game/steering.py", "pick_heading", "test_nobody_collides"),
        Component("table merger", "pipeline/merger.py", "join_batches", "test_join_with_nulls"),
        Component("crash reporter", "desktop/crash.py", "strip_home_path", "test_home_is_hidden"),
        Component("plugin host", "desktop/plugins.py", "load_plugin", "test_broken_plugin_is_isolated"),
    ),
    strangers=(
        Component("weather widget", "desktop/weather.py", "fetch_forecast", "test_forecast_offline"),
        Component("leader board", "game/scores.py", "rank_players", "test_ties_share_rank"),
        Component("conveyor belt", "robot/belt.py", "ramp_speed", "test_smooth_ramp"),
    ),
    symptoms=(
        Symptom("froze the window for several seconds", "freeze the UI"),
        Symptom("lost the newest edits", "lose recent work"),
        Symptom("came back with an empty list", "give back nothing"),
        Symptom("kept one core busy while idle", "burn CPU when idling"),
        Symptom("swallowed the first keystroke", "eat the first key press"),
        Symptom("mixed up left and right", "confuse left with right"),
        Symptom("leaked file handles overnight", "leak open files"),
        Symptom("gave a different result on every run", "be nondeterministic"),
    ),
    causes=(
        "the config was parsed on the main thread",
        "the temp file was renamed before it had been flushed",
        "decimal commas were taken for field separators",
        "the idle timer re-armed itself from its own callback",
        "focus moved to the child widget one event too late",
        "the axis sign was flipped for the second controller only",
        "an early return jumped over the close call",
        "we iterated over a set and relied on its order",
    ),
    libraries=(
        ("Qt", "Electron", "it ships a whole browser with every install"),
        ("click", "argparse", "nested subcommands get unreadable with it"),
        ("Polars", "pandas", "it copies the frame on every join"),
        ("Box2D", "Bullet", "a third dimension is wasted on a flat map"),
        ("ZeroMQ", "DDS", "discovery is flaky on the factory network"),
    ),
    settings=(
        ("debounce delay", "ms"),
        ("memory cap", "megabytes"),
        ("worker count", "threads"),
        ("frame budget", "microseconds"),
        ("drift tolerance", "pixels"),
    ),
    errors=(
        "RecursionError: maximum recursion depth exceeded",
        "FileNotFoundError: no such file: 'slot3.sav'",
        "AttributeError: 'NoneType' object has no attribute 'close'",
        "assert [3, 1, 2] == [1, 2, 3]",
        "OSError: [Errno 24] Too many open files",
        "TypeError: '<' not supported between instances of 'str' and 'int'",
    ),
    fixes=(
        "parsing runs off the main thread",
        "the file is synced before the rename",
        "the timer stops when nothing is pending",
        "the handle gets closed in a finally block",
        "items are sorted before the comparison",
        "missing slots fall back to the defaults",
    ),
    reports=(
        "Hey, the {component} {did} when I tried the nightly build. Can you check?",
        "Bug from the forum: the {component} {did}, three people confirm it.",
        "I just saw that the {component} {did}. Not urgent, but please track it down.",
    ),
    cause_told=(
        "So the {component} {did}, and here is why: {cause}.",
        "Turns out {cause}. That explains how the {component} {did}.",
        "Bisected it to {function}: {cause}, and as a result the {component} {did}.",
    ),
    cause_short=(
        "Okay, got it: {cause}.",
        "Not what I expected, {cause}. Patched in {file}.",
    ),
    cause_asked=(
        "Do we know why the {component} used to {do}?",
        "I remember the {component} used to {do}, what did that turn out to be?",
        "What caused the {component} to {do} back then?",
    ),
    choice_told=(
        "Please build the {component} on {used} and leave {unused} alone, {drawback}.",
        "I tried {unused} for the {component} but {drawback}, so {used} it is.",
        "Decision for the {component}: {used}. No {unused} here, {drawback}.",
    ),
    choice_asked=(
        "Did we have a reason to prefer {used} to {unused} in the {component}?",
        "Can I switch the {component} from {used} to {unused}, or was that ruled out?",
        "What was wrong with {unused} when we picked {used} for the {component}?",
    ),
    value_told=(
        "In the {component}, put the {setting} at {value} {unit} for now.",
        "Please use {value} {unit} as {setting} in the {component}.",
    ),
    value_changed=(
        "{value} {unit} works better as {setting} for the {component}, please update it.",
        "New number for the {component}: {setting} {value} {unit}, replaces what we had.",
    ),
    value_asked=(
        "What did we settle on for the {setting} of the {component}?",
        "What's the {component} {setting} configured to right now?",
    ),
    fix_told=(
        "{test} goes through after the edit: {fix}.",
        "I edited {file} so that {fix}; with that {test} stops failing.",
        "That was it, {fix}. {test} succeeds and so does the rest of the suite.",
    ),
    fix_asked=(
        "What change turned {test} green?",
        "{test} is red again, how did we fix it last time?",
        "What did we do about {test} when it was broken?",
    ),
    failure_asked=(
        'Did we ever hit "{error}" while working on the {component}? Which test was it?',
        "What was the error message when {test} went red?",
        "How exactly did {test} of the {component} break?",
    ),
    place_told=(
        "The core of the {component} is {function} in {file}, the rest is plumbing.",
        "To alter the {component}, start at {function} in {file}; that is where the work gets done.",
    ),
    place_asked=(
        "Where does the main logic of the {component} live?",
        "Which file and function should I open to change how the {component} behaves?",
    ),
    lesson_told=(
        "Do not mock the clock in {test}: the {component} reads the monotonic one and the run hangs.",
        "{function} mutates its argument, so always hand the {component} a copy.",
        "After editing {file} delete the build folder, or the {component} keeps running the old binary.",
    ),
    lesson_asked=(
        "Is it OK to fake time in {test} for the {component}?",
        "Does {function} in the {component} modify what gets passed in?",
        "I changed {file} but the {component} behaves as before, is there some gotcha with builds?",
    ),
    measured_told=("{component} bench, 500 rounds: median {low} us, worst {value} us",),
    measured_asked=(
        "What was the worst case time in the {component} benchmark?",
        "How slow did the {component} get at worst when we benchmarked it?",
    ),
    chatter=(
        "Checking who calls {function} before I touch {file}.",
        "The {component} builds without warnings.",
        "{file} has grown quite a bit, maybe split it later.",
        "Can you add type hints to {function}?",
        "Let me run the {component} once by hand.",
        "Please commit the {component} work separately.",
        "I'll leave {test} alone for the moment.",
        "Show me the diff of {file} before you push.",
    ),
    never_asked=(
        "Does the {component} support right-to-left languages?",
        "Which ticket was the {component} originally planned under?",
        "How many downloads did the {component} get last month?",
        "Who wrote the user manual chapter on the {component}?",
    ),
)
