"""Curves of a run for TensorBoard."""

from __future__ import annotations

import io
import os
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pokerspiel.experiments.run_folder import append


class EventLog:
    """Appends scalars to a new event file in `folder`; what others hold after `step` is void.

    An event is written at once and as a whole, or not at all.
    """

    def __init__(self, folder: Path, step: int) -> None:
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}"
        self._path = folder / f"{name}.{os.getpid()}.{step}"
        self._step = step

    def add(self, step: int, wall_time: float, scalars: Mapping[str, float]) -> None:
        """Raises OSError if the file cannot be written."""
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=tag, simple_value=value) for tag, value in scalars.items()]
        event = Event(step=step, wall_time=wall_time, summary=Summary(value=values))
        begun = self._path.exists() and self._path.stat().st_size > 0
        append(self._path, _records(*(() if begun else self._head(wall_time)), event))

    def _head(self, wall_time: float) -> tuple[Any, Any]:
        """The events that a file begins with."""
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog

        start = SessionLog(status=SessionLog.START)
        return (
            Event(wall_time=wall_time, file_version="brain.Event:2"),
            Event(session_log=start, step=self._step),
        )


def _records(*events: Any) -> bytes:
    from tensorboard.summary.writer.record_writer import RecordWriter

    data = io.BytesIO()
    writer = RecordWriter(data)
    for event in events:
        writer.write(event.SerializeToString())
    return data.getvalue()
