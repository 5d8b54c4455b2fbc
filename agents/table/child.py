"""A process that is talked to in lines, and that may hang, flood its pipes or die.

No call blocks for longer than it is told to: the pipes are read and written when they are ready.
The process leads a group of its own, so that whatever it starts ends with it.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence
from typing import IO

_CHUNK = 1 << 16
_KEPT = 1 << 12
"""Bytes of stderr that are remembered."""
_MOST_UNSENT = 1 << 22
"""Bytes that may wait for a process that does not read; more is as if it had closed its stdin."""
_LAST_LINES = 10
_LONGEST = 200
"""Letters of a line of stderr that are shown."""
GRACE = 1.0
"""Seconds in which a process whose stdin has been closed may end by itself."""
_AFTER_SIGTERM = 0.2
_SLICE = 10
"""Milliseconds between two looks at whether a process has ended."""


class Gone(Exception):  # noqa: N818
    """The process has ended or closed one of its pipes."""


class Flooded(Exception):  # noqa: N818
    """The process writes more than it may."""


class Child:
    """A process with its three pipes; `longest` is the number of bytes that a line may have."""

    def __init__(self, command: Sequence[str], longest: int) -> None:
        """Raises OSError if it cannot be started."""
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            bufsize=0,
            start_new_session=True,
            env=environment,
        )
        self._longest = longest
        self._in, self._out, self._err = _descriptors(self._process)
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._unsent = bytearray()
        self._unread = bytearray()
        self._errors = bytearray()
        self._open = {self._out, self._err}
        self._deaf = False
        # Also when the interpreter ends, or nobody remembers this object.
        self._owner = os.getpid()
        self._by_itself = False
        self._end = weakref.finalize(self, _end, self._process, self._errors, self._owner)

    # Talking.

    def send(self, line: str) -> None:
        """Write a line as far as the process reads; the rest goes out while it is listened to."""
        self._unsent += line.encode() + b"\n"
        self._write()
        self._deaf |= len(self._unsent) > _MOST_UNSENT

    def receive(self, deadline: float) -> bytes | None:
        """The next line that is not blank; None if there is none by `deadline` (monotonic time).

        What comes before all that was sent has been read answers nothing, and is skipped. Raises
        Gone or Flooded.
        """
        while True:
            line = self._next_line()
            if line is not None and not self._unsent:
                return line
            if line is not None:
                continue
            if self._deaf or self._out not in self._open:
                raise Gone
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            self._wait(left)

    def skip(self) -> int:
        """Drop the lines that are there; returns how many. Raises Gone or Flooded."""
        lines = size = 0
        while True:
            size += len(self._unread)
            while self._next_line() is not None:
                lines += 1
            size -= len(self._unread)
            if size > self._longest:
                raise Flooded
            if not self._wait(0.0):
                break
        if self._deaf or self._out not in self._open or _has_ended(self._process):
            raise Gone
        return lines

    def _next_line(self) -> bytes | None:
        while True:
            end = self._unread.find(b"\n")
            if max(end, len(self._unread) if end < 0 else 0) > self._longest:
                raise Flooded
            if end < 0:
                return None
            line = bytes(self._unread[:end]).strip()
            del self._unread[: end + 1]
            if line:
                return line

    # The pipes.

    def _wait(self, seconds: float) -> bool:
        """Read and write what can be; whether something of stdout was read."""
        poll = select.poll()
        for descriptor in self._open:
            poll.register(descriptor, select.POLLIN)
        if not self._deaf:
            poll.register(self._in, select.POLLOUT if self._unsent else 0)
        heard = False
        for descriptor, event in poll.poll(math.ceil(seconds * 1000)):
            if descriptor == self._in:
                self._deaf |= bool(event & ~select.POLLOUT)
                self._write()
            else:
                heard |= self._read(descriptor)
        return heard

    def _write(self) -> None:
        try:
            while self._unsent and not self._deaf:
                del self._unsent[: os.write(self._in, self._unsent)]
        except BlockingIOError:
            pass
        except OSError:
            self._deaf = True

    def _read(self, descriptor: int) -> bool:
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self._open.discard(descriptor)
        elif descriptor == self._err:
            _remember(self._errors, data)
        else:
            self._unread += data
            return True
        return False

    # The end.

    def close(self, grace: float = GRACE) -> None:
        """Close its stdin, give it `grace` seconds to end, then end it and all that it started."""
        if self._end.detach():
            self._by_itself = _end(self._process, self._errors, self._owner, grace)

    @property
    def fate(self) -> str:
        """How it ended by itself, such as "exit status 1"; empty if it did not."""
        status = self._process.returncode
        if status is None or not self._by_itself:
            return ""
        if status >= 0:
            return f"exit status {status}"
        try:
            return f"ended by {signal.Signals(-status).name}"
        except ValueError:
            return f"ended by signal {-status}"

    @property
    def last_words(self) -> list[str]:
        """The last lines that it wrote to stderr."""
        lines = self._errors.decode("utf-8", "replace").splitlines()[-_LAST_LINES:]
        return [printable(line) for line in lines if line.strip()]


def printable(text: str) -> str:
    """A line that a terminal shows as it is."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_LONGEST])


def _descriptors(process: subprocess.Popen[bytes]) -> tuple[int, int, int]:
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    return process.stdin.fileno(), process.stdout.fileno(), process.stderr.fileno()


def _remember(errors: bytearray, data: bytes) -> None:
    errors += data
    del errors[:-_KEPT]


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has ended; it stays to be reaped, so that nobody else gets its number."""
    if process.returncode is not None:
        return True
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return hasattr(os, "waitid") and os.waitid(os.P_PID, process.pid, options) is not None


def _end(
    process: subprocess.Popen[bytes], errors: bytearray, owner: int, grace: float = GRACE
) -> bool:
    """End and reap a process and its group, whatever happens; whether it ended by itself."""
    if os.getpid() != owner:
        return False  # a fork of the process that started it
    try:
        _close(process.stdin)
        if _ends_within(process, errors, grace):
            return True
        _signal_group(process, signal.SIGTERM)
        _ends_within(process, errors, min(grace, _AFTER_SIGTERM))
        return False
    finally:
        _signal_group(process, signal.SIGKILL)
        process.wait()
        _close(process.stdout)
        _close(process.stderr)


def _ends_within(process: subprocess.Popen[bytes], errors: bytearray, seconds: float) -> bool:
    """Read what the process still writes until it ends; False if it does not in time."""
    deadline = time.monotonic() + seconds
    assert process.stdout is not None and process.stderr is not None
    err = process.stderr.fileno()
    waiting = {process.stdout.fileno(), err}
    while True:
        ended = _has_ended(process)
        poll = select.poll()
        for descriptor in waiting:
            poll.register(descriptor, select.POLLIN)
        ready = poll.poll(0 if ended else _SLICE)
        for descriptor, _ in ready:
            data = _read_some(descriptor)
            if not data:
                waiting.discard(descriptor)
            elif descriptor == err:
                _remember(errors, data)
        if (ended and not ready) or time.monotonic() > deadline:
            return ended


def _read_some(descriptor: int) -> bytes:
    """What there is to read of a pipe that is ready; nothing at its end."""
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:
        return b""


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _close(pipe: IO[bytes] | None) -> None:
    with contextlib.suppress(OSError):
        if pipe is not None:
            pipe.close()
