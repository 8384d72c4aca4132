from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Literal


@dataclass
class Stay:
    """One place on the way.

    Attributes:
        city: Where to stay.
        nights: How long to stay there.
    """

    city: str
    nights: int = 1


def run(
    start: date,
    stays: list[Stay],
    pace: Annotated[Literal["easy", "hurried"], "An easy trip has a free day after each stay."] = "easy",
):
    """Work out on which day each stay of a trip begins.

    Args:
        start: Day of departure.
        stays: Places in their order.
    """
    plan = {}
    for stay in stays:
        plan[stay.city] = start
        start += timedelta(days=stay.nights + (1 if pace == "easy" else 0))
    return plan
