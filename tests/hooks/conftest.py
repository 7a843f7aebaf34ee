"""A fleet for each test."""

from pathlib import Path

import pytest

from .sessions import Fleet


@pytest.fixture
def fleet(home: Path, tmp_path: Path) -> Fleet:
    """Two projects whose memory is ready."""
    return Fleet(home, tmp_path / "code").make()
