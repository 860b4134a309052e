"""What of a repository a model may be shown: no key file and no `.env`, not even when a step cites one."""

from __future__ import annotations

from retrodoc.ingest.content import is_private_key
from retrodoc.ingest.names import is_secret
from retrodoc_runs.snapshot import Snapshot


def read_for_model(snapshot: Snapshot, path: str) -> bytes | None:
    """What `snapshot.read` gives, but None for a file that may hold a secret, also when a link leads to it."""
    if is_secret(path) or is_secret(snapshot.resolve(path).path):
        return None
    data = snapshot.read(path)
    return None if data is None or is_private_key(data) else data
