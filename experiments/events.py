"""Curves of a run for TensorBoard."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


class EventLog:
    """Appends scalars to a new event file in `folder`; what others hold after `step` is void."""

    def __init__(self, folder: Path, step: int) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self._writer: Any = EventFileWriter(str(folder))
        start = SessionLog(status=SessionLog.START)
        self._writer.add_event(Event(session_log=start, step=step))

    def add(self, step: int, wall_time: float, scalars: Mapping[str, float]) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=tag, simple_value=value) for tag, value in scalars.items()]
        self._writer.add_event(Event(step=step, wall_time=wall_time, summary=Summary(value=values)))

    def close(self) -> None:
        self._writer.close()
