"""Forks the processes of extensions: they start in milliseconds and share the memory of this program.

It imports nothing of any extension, holds no secrets, and listens on no address: the channel that it inherited from the host
is the only way in, and a forked process closes it before anything else. It has one thread and never waits for an
extension. When the channel closes, because the host has ended or closes it, it kills all its processes.

The channel is Node's: lines of JSON, some with a descriptor. A start is answered by the host's ends of the link and of
both output streams; an exit by its status. Packages and interpreters may change while it runs: it then refuses, and
the host starts another one. Without more processes or file descriptors, here or at the host, a start fails and its
process ends.
"""

import errno
import gc
import json
import os
import select
import signal
import socket
import sys
from collections import deque
from typing import Any, Deque, Dict, Optional, Tuple

from .link import DESCRIPTOR
from .mark import NAME
from .rehearsal import rehearse

CHANNEL = "NODE_CHANNEL_FD"
CHUNK = 65_536
#: The descriptor of each socket in the process.
STREAMS = {"stdout": 1, "stderr": 2, "link": DESCRIPTOR}
#: In the fields of /proc/self/stat after the name: where the environment begins and ends.
ENVIRONMENT = slice(47, 49)


def serve() -> None:
    """Returns only in a forked process, which is then the process of one extension."""
    channel = socket.socket(fileno=int(os.environ[CHANNEL]))
    channel.setblocking(True)
    write_mark(os.environ.get(NAME))
    os.close(os.pidfd_open(os.getpid()))  # without it, ends are not noticed
    server = ForkServer(channel)
    rehearse()
    gc.collect()
    gc.freeze()
    server.run()


class ForkServer:
    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._poll = select.poll()
        self._poll.register(channel, select.POLLIN)
        #: Process and id of each pidfd.
        self._processes: Dict[int, Tuple[int, int]] = {}
        #: The start of each descriptor that the host has not acknowledged, in order.
        self._passed: Deque[int] = deque()
        self._rest = b""
        self._facts = read_facts()

    def run(self) -> None:
        self._send({"type": "ready"})
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor != self._channel.fileno():
                    self._on_exit(descriptor)
                elif self._on_channel():
                    return

    def _on_channel(self) -> bool:
        """Whether this is a forked process."""
        try:
            chunk = self._channel.recv(CHUNK)
        except OSError:
            chunk = b""
        if not chunk:
            self._end()
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return any(self._on_message(message) for message in map(json.loads, lines))

    def _on_message(self, message: Dict[str, Any]) -> bool:
        answer = message.get("cmd")
        if answer in ("NODE_HANDLE_ACK", "NODE_HANDLE_NACK") and self._passed:
            id = self._passed.popleft()
            if answer == "NODE_HANDLE_NACK":  # the host has no descriptor left
                self._fail(id, "EMFILE")
        return message.get("type") == "fork" and self._start(message)

    def _start(self, wanted: Dict[str, Any]) -> bool:
        id = wanted["id"]
        if read_facts() != self._facts:
            self._send({"type": "stale", "id": id})
            return False
        ours: Dict[str, socket.socket] = {}
        theirs: Dict[str, socket.socket] = {}
        try:
            for name in STREAMS:
                ours[name], theirs[name] = socket.socketpair()
            pid = os.fork()
        except OSError as error:
            self._fail(id, error_name(error))
            return False
        if pid == 0:
            for end in (self._channel, *ours.values()):
                end.detach()  # closed with all others
            become(wanted, {name: end.detach() for name, end in theirs.items()})
            return True
        for end in theirs.values():
            end.close()
        try:
            pidfd = os.pidfd_open(pid)
        except OSError as error:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            self._fail(id, error_name(error))
            return False
        self._processes[pidfd] = (pid, id)
        self._poll.register(pidfd, select.POLLIN)
        for name, end in ours.items():
            stream = {"type": "stream", "id": id, "pid": pid, "name": name}
            if not self._send({"cmd": "NODE_HANDLE", "type": "net.Socket", "msg": stream}, end):
                self._fail(id, "ETOOMANYREFS")
                break
            self._passed.append(id)
        for end in ours.values():
            end.close()
        return False

    def _fail(self, id: int, why: str) -> None:
        """Its process, if there is one, has imported nothing."""
        for pid, started in self._processes.values():
            if started == id:
                os.kill(pid, signal.SIGKILL)
        self._send({"type": "failed", "id": id, "message": f"fork: {why}"})

    def _on_exit(self, pidfd: int) -> None:
        pid, id = self._processes.pop(pidfd)
        self._poll.unregister(pidfd)
        os.close(pidfd)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        self._send({"type": "exit", "id": id, "code": None if code < 0 else code, "signal": signal_name(-code) if code < 0 else None})

    def _send(self, message: Dict[str, Any], carried: Optional[socket.socket] = None) -> bool:
        """Whether it was sent; False if too many descriptors are on their way."""
        line = json.dumps(message).encode() + b"\n"
        try:
            sent = self._channel.send(line) if carried is None else socket.send_fds(self._channel, [line], [carried.fileno()])
            self._channel.sendall(line[sent:])
        except OSError as error:
            if error.errno == errno.ETOOMANYREFS:
                return False
            self._end()
        return True

    def _end(self) -> None:
        for pid, _ in self._processes.values():
            for kill in (os.killpg, os.kill):
                try:
                    kill(pid, signal.SIGKILL)
                except OSError:
                    pass
        os._exit(0)


def become(wanted: Dict[str, Any], sockets: Dict[str, int]) -> None:
    """Turns a copy of this program into the process of an extension, as if the host had started it."""
    os.setsid()
    for name, target in STREAMS.items():
        os.dup2(sockets[name], target)
    os.closerange(max(STREAMS.values()) + 1, os.sysconf("SC_OPEN_MAX"))
    os.chdir(wanted["directory"])
    if wanted["group"] is not None:
        try:
            with open(wanted["group"], "w") as group:
                group.write("0")
        except OSError:
            pass  # as with processes that the host starts: the mark stays
    write_mark(wanted["mark"])
    if wanted["mark"] is not None:
        os.environ[NAME] = wanted["mark"]


def write_mark(mark: Optional[str]) -> None:
    """Replaces the mark in the initial environment of this program, which other programs see. All marks of a host
    have the same length."""
    if mark is None:
        return
    with open("/proc/self/stat", "rb") as facts:
        begin, end = map(int, facts.read().rpartition(b")")[2].split()[ENVIRONMENT])
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        memory.seek(begin)
        before = memory.read(end - begin)
        at = before.index(f"{NAME}=".encode()) + len(NAME) + 1
        if before.index(b"\0", at) - at != len(mark):
            raise ValueError("the marks have different lengths")
        memory.seek(begin + at)
        memory.write(mark.encode())


def read_facts() -> Any:
    """Facts about the start of a process: the interpreter, and the folders with installed packages."""
    return [facts_of(place) for place in (sys.executable, os.path.join(sys.prefix, "pyvenv.cfg"), *sys.path)]


def facts_of(place: str) -> Optional[Tuple[int, int]]:
    try:
        found = os.stat(place)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def error_name(error: OSError) -> str:
    return errno.errorcode.get(error.errno or 0, str(error))


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
