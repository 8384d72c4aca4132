"""Limits of the operating system, for this process and its children; they cannot be raised, since the hard limit is
set too.
"""

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

HEADROOM_BYTES = 1024 * 1024 * 1024
OPEN_FILES = 4096


def set_limits(memory_mb: int) -> None:
    """The host watches resident memory. This limit is higher, and turns one excessive allocation into a MemoryError."""
    if resource is None:
        return
    data = 2 * memory_mb * 1024 * 1024 + HEADROOM_BYTES
    for limit, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_DATA, data), (resource.RLIMIT_NOFILE, OPEN_FILES)):
        try:
            _, hard = resource.getrlimit(limit)
            value = most if hard == resource.RLIM_INFINITY else min(hard, most)
            resource.setrlimit(limit, (value, value))
        except (OSError, ValueError):
            pass  # the system lacks this limit; the host still watches memory
