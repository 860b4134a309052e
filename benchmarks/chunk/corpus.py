"""Which files the chunk benchmark reads: pinned packages, fetched once, checked by a digest."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
File = tuple[str, bytes]


def packages() -> list[dict[str, object]]:
    """The entries of corpus.toml."""
    listed: list[dict[str, object]] = tomllib.loads((HERE / "corpus.toml").read_text("utf-8"))["package"]
    return listed


def read_corpus(folder: Path) -> tuple[list[File], dict[str, str]]:
    """All files (path, bytes), and the digest of each package that is there."""
    left_out = tomllib.loads((HERE / "corpus.toml").read_text("utf-8"))["leave_out"]
    files: list[File] = []
    digests: dict[str, str] = {}
    for package in packages():
        name = str(package["name"])
        root = folder / name
        if not root.is_dir():
            _fetch(package, folder)
        if not root.is_dir():
            print(f"{name}: not there", file=sys.stderr)
            continue
        digest = hashlib.sha256()
        for path in sorted((root / str(package.get("under", ""))).rglob("*")):
            shown = f"{name}/{path.relative_to(root).as_posix()}"
            if path.suffix not in package["extensions"] or path.is_symlink() or not path.is_file():  # type: ignore[operator]
                continue
            if any(part in f"/{shown}" for part in left_out):
                continue
            source = path.read_bytes()
            digest.update(shown.encode() + b"\0" + hashlib.sha256(source).digest())
            files.append((shown, source))
        digests[name] = digest.hexdigest()[:16]
    return files, digests


def _fetch(package: dict[str, object], folder: Path) -> None:
    if "debian" not in package:
        script = HERE.parents[1] / "tests/fetch_corpora.py"
        subprocess.run([sys.executable, str(script), str(folder), str(package["name"])], check=False)
        return
    target = folder / str(package["name"])
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        subprocess.run(["apt-get", "-qq", "download", str(package["debian"])], cwd=scratch, check=False, timeout=300)
        archives = list(Path(scratch).glob("*.deb"))
        if not archives:
            return
        subprocess.run(["dpkg", "-x", str(archives[0]), "unpacked"], cwd=scratch, check=True)
        root = (Path(scratch) / "unpacked" / str(package["root"])).resolve()
        if "inside" in package:
            root = root if root.exists() else next(Path(scratch, "unpacked").rglob("src.zip"))
            with zipfile.ZipFile(root) as archive:
                names = [name for name in archive.namelist() if name.startswith(str(package["inside"]))]
                archive.extractall(Path(scratch, "inside"), names)
            root = Path(scratch, "inside")
        root.rename(target)
