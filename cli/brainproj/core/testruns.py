"""Whether an output is that of a test run with failures, by the summary that the runner itself prints.

An exit code says it better, but a shell line often hides it (`pytest | tail`). Only summaries count, at the start of a
line and with a number of failures, never a word such as "failed" in somebody's text.
"""

import re

SUMMARIES = (
    re.compile(r"=+ (?=.*=$).*?\b[1-9]\d* (?:failed|errors?)\b.* in \d.*$"),  # pytest
    re.compile(r"[1-9]\d* failed(?:, \d+ \w+)* in [\d.]+s$"),  # pytest -q
    re.compile(r"FAILED \((?:(?:failures|errors)=[1-9]\d*(?:, )?)+"),  # unittest
    re.compile(r"Tests:\s+[1-9]\d* failed"),  # jest
    re.compile(r"[ \t]*Tests\s+[1-9]\d* failed"),  # vitest
    re.compile(r"[ \t]*[1-9]\d* failing$"),  # mocha
    re.compile(r"(?:--- FAIL: |FAIL\t)\S+"),  # go test
    re.compile(r"test result: FAILED\. \d+ passed; [1-9]\d* failed"),  # cargo test
    re.compile(r"\d+ examples?, [1-9]\d* failures?"),  # rspec
    re.compile(r"(?:FAILURES!|Tests: \d+, .*(?:Failures|Errors): [1-9]\d*)"),  # phpunit
    re.compile(r"\[ERROR\] Tests run: \d+, (?:Failures: [1-9]|Failures: 0, Errors: [1-9])"),  # maven
    re.compile(r"# fail [1-9]\d*$"),  # node:test, TAP
    re.compile(r"Failed!\s+-\s+Failed:\s+[1-9]\d*"),  # dotnet test
)
"""One of each runner, from their documentation and from runs of pytest, unittest, node:test and go."""
WORDS = ("failed", "failing", "failures", "fail", "failure", "errors", "1 error")
"""Every summary above holds one of these words or phrases: what the index is asked for first."""
HINT = re.compile(r"fail|error", re.I)
LONGEST_LINE = 500
"""Letters; a summary is as wide as a terminal, and an output may be one line of megabytes."""


def failing_summary(text: str) -> str | None:
    """The line by which a test runner says that tests failed, the first one; None where none does."""
    place = 0
    while found := HINT.search(text, place):
        end = text.find("\n", found.end())
        end = len(text) if end < 0 else end
        line = text[text.rfind("\n", place, found.start()) + 1 : end].rstrip("\r")
        if len(line) <= LONGEST_LINE and any(summary.match(line) for summary in SUMMARIES):
            return line.strip().strip("=").strip()
        place = end
    return None
