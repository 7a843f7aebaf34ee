"""Whether an output is that of a test run with failures, by the summary that the runner itself prints.

An exit code says it better, but a shell line often hides it (`pytest | tail`). Only summaries count, at the start of a
line and with a number of failures, never a word such as "failed" in somebody's text.
"""

import re

SUMMARIES = (
    re.compile(r"^=+ .*?\b[1-9]\d* (?:failed|errors?)\b.* in [\d.:]+\w*.* ?=+$", re.M),  # pytest
    re.compile(r"^[1-9]\d* failed(?:, \d+ \w+)* in [\d.]+s$", re.M),  # pytest -q
    re.compile(r"^FAILED \((?:(?:failures|errors)=[1-9]\d*(?:, )?)+", re.M),  # unittest
    re.compile(r"^Tests:\s+[1-9]\d* failed", re.M),  # jest
    re.compile(r"^\s*Tests\s+[1-9]\d* failed", re.M),  # vitest
    re.compile(r"^\s*[1-9]\d* failing$", re.M),  # mocha
    re.compile(r"^(?:--- FAIL: |FAIL\t)\S+", re.M),  # go test
    re.compile(r"^test result: FAILED\. \d+ passed; [1-9]\d* failed", re.M),  # cargo test
    re.compile(r"^\d+ examples?, [1-9]\d* failures?", re.M),  # rspec
    re.compile(r"^(?:FAILURES!|Tests: \d+, .*(?:Failures|Errors): [1-9]\d*)", re.M),  # phpunit
    re.compile(r"^\[ERROR\] Tests run: \d+, (?:Failures: [1-9]|Failures: 0, Errors: [1-9])", re.M),  # maven
    re.compile(r"^# fail [1-9]\d*$", re.M),  # node:test, TAP
    re.compile(r"^Failed!\s+-\s+Failed:\s+[1-9]\d*", re.M),  # dotnet test
)
"""One of each runner, from their documentation and from runs of pytest, unittest, node:test and go."""
WORDS = ("failed", "failing", "failures", "fail", "failure", "errors")
"""Every summary above holds one of these: what the index is asked for first."""


def failing_summary(text: str) -> str | None:
    """The line by which a test runner says that tests failed; None where none does."""
    for pattern in SUMMARIES:
        found = pattern.search(text)
        if found:
            line = text[found.start() : (text.find("\n", found.start()) + 1 or len(text) + 1) - 1]
            return line.strip().strip("=").strip()
    return None
