"""What a call tried, and when two failures are one."""

import time

import pytest

from brainproj.core.attempts import command_key, command_of, failure_line, files_of, is_same_file, signature
from brainproj.core.testruns import WORDS, failing_summary


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ("x\n=========== 1 failed, 3 passed in 0.12s ===========", "1 failed, 3 passed in 0.12s"),
        ("== 2 errors in 1.20s ==\n", "2 errors in 1.20s"), ("1 failed, 2 passed in 0.02s\n", "1 failed, 2 passed in 0.02s"),
        ("Ran 3 tests\n\nFAILED (failures=1, errors=2)", "FAILED (failures=1, errors=2)"),
        ("Tests:       1 failed, 5 passed, 6 total", "Tests:       1 failed, 5 passed, 6 total"),
        (" Tests  2 failed | 7 passed (9)", "Tests  2 failed | 7 passed (9)"), ("  3 passing\n  1 failing\n", "1 failing"),
        ("--- FAIL: TestPay (0.00s)\nFAIL\texample.com/pay\t0.1s", "--- FAIL: TestPay (0.00s)"),
        ("test result: FAILED. 3 passed; 1 failed; 0 ignored", "test result: FAILED. 3 passed; 1 failed; 0 ignored"),
        ("12 examples, 1 failure", "12 examples, 1 failure"), ("FAILURES!\nTests: 3, Assertions: 4, Failures: 1.", "FAILURES!"),
        ("[ERROR] Tests run: 4, Failures: 1, Errors: 0", "[ERROR] Tests run: 4, Failures: 1, Errors: 0"),
        ("# pass 2\n# fail 1", "# fail 1"), ("Failed!  - Failed:     1, Passed:     3", "Failed!  - Failed:     1, Passed:     3"),
    ],
)  # fmt: skip
def test_every_common_runner_is_known_by_its_summary(output: str, says: str) -> None:
    assert failing_summary(output) == says


@pytest.mark.parametrize(
    "output",
    ["=== 4 passed in 0.1s ===", "0 failed", "test result: ok. 3 passed; 0 failed", "I failed to see 1 failed test in 2s", "Tests: 5 passed, 5 total",
     "12 examples, 0 failures", "# fail 0", "def failed():", "ok  \texample.com/pay\t0.1s", "[ERROR] Tests run: 4, Failures: 0, Errors: 0", ""],
)  # fmt: skip
def test_what_is_no_failing_run(output: str) -> None:
    assert failing_summary(output) is None


def test_a_single_error_is_asked_of_the_index() -> None:
    summary = failing_summary("collected 0 items\r\n===== 1 error in 0.12s =====\r\n")
    assert summary == "1 error in 0.12s" and any(word in summary for word in WORDS)


LONG = 200_000


@pytest.mark.parametrize(
    "text",
    ["\n" * LONG + "x", "= " + "1 failed in 1s " * (LONG // 15) + "x", ("= " + "1 failed in 1s " * 30 + "x\n") * (LONG // 450),
     "ab12" * (LONG // 4), "a-" * (LONG // 2), "./" * (LONG // 2) + ".", "2>&1 " * (LONG // 5) + "y", "x" + " " * LONG + "y", "/" * LONG,
     "a/" * (LONG // 2) + "-", "A=1 " * (LONG // 4), "fail " * (LONG // 5), "error\n" * (LONG // 6), "| tail" + " -a" * (LONG // 3) + " y"],
    ids=range(14),
)  # fmt: skip
def test_no_text_takes_long(text: str) -> None:
    """Whatever an agent printed or ran: time grows as the text does. Each of these once took minutes, or could."""
    began = time.process_time()
    failing_summary(text)
    failure_line(text)
    files_of(f"command: echo {text}")
    command_key(f"echo {text}")
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("command", "key"),
    [
        ("pytest -q", "pytest -q"), ("cd /x/y && pytest   -q 2>&1 | tail -20", "pytest -q"), ("bash -lc 'pytest -q'", "pytest -q"),
        ("PYTHONPATH=. CI=1 pytest -q; echo $?", "pytest -q"), ("timeout 60 npm test | head -n 50", "npm test"), ("grep x | wc -l", "grep x | wc -l"),
        ("time make check || true", "make check"), ("/bin/sh -c 'go test ./...'", "go test ./..."),
    ],
)  # fmt: skip
def test_what_a_command_tries(command: str, key: str) -> None:
    assert command_key(command) == key


def test_members_of_a_call() -> None:
    call = "command: pytest -q \\\n  tests/test_pay.py::test_retry\ndescription: Run it\ntimeout: 1000"
    assert command_of(call) == "pytest -q \\\n  tests/test_pay.py::test_retry"
    assert files_of(call) == ("tests/test_pay.py",)
    assert command_of("file_path: /x/pay.py\nold_string: a") is None and files_of(
        "file_path: /x/pay.py\nold_string: a"
    ) == ("/x/pay.py",)
    assert files_of("input: *** Begin Patch\n*** Update File: src/a.py\n@@\n*** Add File: b.md\n") == (
        "src/a.py",
        "b.md",
    )
    assert command_of('{"cmd": "pytest -q", "yield_time_ms": 1000}') == "pytest -q" and command_of("{no json") is None
    words = command_of('{"command": ["bash", "-lc", "cd /x && pytest -q"]}')
    assert words is not None and command_key(words) == "pytest -q"
    assert command_of("cmd: python tides.py") == "python tides.py" and command_of("pattern: x") is None


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("Exit code 1\nFAILED test_t.py::test_a - expected 23:10, got 00:10", "FAILED test_t.py::test_a - expected 23:10, got 00:10"),
        ("collected 1\nE   assert 1 == 2\n=== 1 failed in 0.1s ===", "E assert 1 == 2"), ("a\nb\n\n", "b"), ("", ""),
        ("Exit code 2", "Exit code 2"), ("x" * 500, "x" * 200),
    ],
)  # fmt: skip
def test_the_line_that_tells_most(output: str, line: str) -> None:
    assert failure_line(output) == line


def test_numbers_do_not_make_two_failures_of_one() -> None:
    assert signature("Error: 3 of 17 at 0x7f00 in 0.12s") == signature("error: 4 of 9 at 0xaa in 3s")
    assert signature("Error: a") != signature("Error: b")


def test_one_file_by_two_names() -> None:
    assert is_same_file("/x/src/pay.py", "src/pay.py") and is_same_file("./a.py", "a.py")
    assert not is_same_file("xpay.py", "pay.py")
