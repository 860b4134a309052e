"""The loopback model server, for the tests of this folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from model_server import ModelServer


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A model server on loopback that speaks both protocols, without faults until a test sets some."""
    with ModelServer() as server:
        yield server
