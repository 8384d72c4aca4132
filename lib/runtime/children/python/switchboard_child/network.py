"""Names the missing permission when an extension without network uses it."""

import errno
import socket
from typing import Any, Optional, Set

UNREACHABLE = {errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EHOSTUNREACH}
CAUSES_FOLLOWED = 6
_extension: Optional[str] = None


def note_rights(load: Any) -> None:
    global _extension
    _extension = load["extension"] if ["net"] in load["mustNotHave"] else None


def missing_network(error: BaseException) -> Optional[str]:
    """None if there is a network, or if the error has another cause."""
    if _extension is None or not _is_about_network(error, set(), 0):
        return None
    return (
        "Using the network needs the permission `net`, which this extension does not have. To grant it, start the server with"
        f" EXTENSION_ALLOW={_extension}:net added to the existing pairs, separated by commas."
    )


def _is_about_network(error: Any, seen: Set[int], depth: int) -> bool:
    if not isinstance(error, BaseException) or id(error) in seen or depth > CAUSES_FOLLOWED:
        return False
    seen.add(id(error))
    if isinstance(error, socket.gaierror):
        return True
    if isinstance(error, OSError) and error.errno in UNREACHABLE:
        return True
    further = [error.__cause__, error.__context__, getattr(error, "reason", None), *error.args]
    return any(_is_about_network(cause, seen, depth + 1) for cause in further)
