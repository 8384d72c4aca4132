"""The imports that `switchboard` offers to authors. Types are never required."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional, Protocol, Tuple

__all__ = ["Message", "ToolContext", "ToolError"]

_KINDS = ("invalid_parameters", "execution_error", "schema_error", "not_found")


class ToolError(Exception):
    """An error whose message says what was wrong and what would be right, for a person or a model.

    `kind` is one of `invalid_parameters`, `execution_error`, `schema_error`, `not_found`, and may come before the
    message; `data` is any JSON.
    """

    def __init__(self, message: str, kind: str = "execution_error", data: Any = None) -> None:
        if message in _KINDS and kind not in _KINDS:
            message, kind = kind, message
        super().__init__(message)
        self.kind = kind
        self.data = data


class Signal(Protocol):
    aborted: bool
    reason: Optional[str]

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Blocks until the call is interrupted or the timeout passes; True if it was interrupted."""

    def throw_if_aborted(self) -> None: ...


class Log(Protocol):
    def debug(self, message: object, data: Any = None) -> None: ...
    def info(self, message: object, data: Any = None) -> None: ...
    def warn(self, message: object, data: Any = None) -> None: ...
    def error(self, message: object, data: Any = None) -> None: ...


class ToolContext(Protocol):
    """Passed to a function with a parameter named `ctx`."""

    signal: Signal
    log: Log
    call_id: str
    workspace_root: str
    traceparent: Optional[str]

    def progress(self, done: float, total: Optional[float] = None, message: Optional[str] = None) -> None:
        """Reports progress of the call, which is shown live."""

    def elicit(self, message: str, schema: Dict[str, Any]) -> Any:
        """Asks the caller to fill in a form: `{"action": "accept", "content": {…}}`, or `decline` or `cancel`. In an
        async function await it. Raises RuntimeError with the reason if nobody can answer."""

    def sample(self, request: Any) -> Any:
        """Asks the caller's language model for a message, by a text or the params of `sampling/createMessage`:
        `{"role": "assistant", "content": {…}, "model": …}`. In an async function await it. Raises RuntimeError with
        the reason if there is none."""


class Message:
    """A message of a channel. Its fields can be read as attributes and as items: `message.text`, `message["text"]`.

    `sender` is the author; the recipient of an outbound message is in `metadata["recipient"]`. `idempotency_key` is unique
    among all messages of the channel: a second message with it is dropped. Of an outbound one it is the same for each attempt.
    """

    __slots__ = ("text", "sender", "channel", "metadata", "idempotency_key")

    def __init__(
        self,
        text: str,
        sender: str,
        channel: str = "",
        metadata: Optional[Dict[str, Any]] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        self.text = text
        self.sender = sender
        self.channel = channel
        self.metadata: Dict[str, Any] = {} if metadata is None else metadata
        self.idempotency_key = idempotency_key

    def keys(self) -> Tuple[str, ...]:
        return self.__slots__ if self.idempotency_key is not None else self.__slots__[:-1]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    def __getitem__(self, key: str) -> Any:
        if key not in self.__slots__:
            raise KeyError(key)
        return getattr(self, key)

    def get(self, key: str, default: Any = None) -> Any:
        return getattr(self, key) if key in self.__slots__ else default

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and all(self[key] == other[key] for key in self.__slots__)

    def __repr__(self) -> str:
        return "Message(" + ", ".join(f"{key}={self[key]!r}" for key in self.__slots__) + ")"
