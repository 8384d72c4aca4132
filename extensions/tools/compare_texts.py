import difflib
from dataclasses import dataclass
from typing import Annotated, Literal

DESCRIPTION = "Compares two texts."
INSTRUCTIONS = "Use compare_texts to find what changed between two versions instead of reading both."


@dataclass
class Comparison:
    same: bool
    similarity: float
    added: int
    removed: int
    diff: str


def run(
    before: Annotated[str, "The older text."],
    after: Annotated[str, "The newer text."],
    unit: Literal["lines", "words"] = "lines",
    around: Annotated[int, "How many unchanged lines or words to show around each change, up to 100."] = 3,
) -> Comparison:
    """Compare two texts and answer what was added and removed, as a unified diff, and how alike they are from 0 to 1.

    Args:
        unit: Whether lines or words are compared.
    """
    if not 0 <= around <= 100:
        raise ValueError(f"around is {around}; give a number from 0 to 100.")
    old, new = (text.splitlines() if unit == "lines" else text.split() for text in (before, after))
    changes = list(difflib.unified_diff(old, new, "before", "after", lineterm="", n=around))
    return Comparison(
        same=old == new,
        similarity=round(difflib.SequenceMatcher(None, old, new, autojunk=False).ratio(), 3),
        added=sum(line.startswith("+") for line in changes[2:]),
        removed=sum(line.startswith("-") for line in changes[2:]),
        diff="\n".join(changes),
    )
