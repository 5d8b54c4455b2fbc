"""The order of the tests: files that take long begin first, so that no worker is left with one."""

from __future__ import annotations

import pytest

LONG = (
    "test_browser_table",
    "test_bench_sviten",
    "test_browser_pages",
    "test_local_best_response",
    "test_cli_process",
    "test_bench_algorithms",
    "test_best_responder",
    "test_checkpoints",
    "test_bucket_cfr",
    "test_centres_travel",
    "test_translation",
    "test_cli_neural",
    "test_river_resolver",
    "test_ranges",
    "test_differential",
    "test_conformance",
)
"""Files whose tests take 15 seconds and more together."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path.stem, len(LONG)))
