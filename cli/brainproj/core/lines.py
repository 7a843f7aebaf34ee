"""Lines of ours in somebody's list of lines (git's exclude file): added at the end, taken out to the byte."""


def add_lines(text: str, lines: tuple[str, ...]) -> str:
    """The text with those of the lines that it lacks at its end; a text whose last line is open stays so."""
    missing = [line for line in lines if line not in text.splitlines()]
    if not missing:
        return text
    if text and not text.endswith("\n"):
        return "\n".join([text, *missing])
    return text + "".join(f"{line}\n" for line in missing)


def remove_lines(text: str, lines: tuple[str, ...]) -> str:
    """The text without these lines."""
    kept = [line for line in text.splitlines(keepends=True) if line.rstrip("\r\n") not in lines]
    without = "".join(kept)
    return without.removesuffix("\n") if without != text and text and not text.endswith("\n") else without
