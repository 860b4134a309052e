"""Fetch real packages from their registries and make each a Git repository with one commit.

    python tests/fetch_corpora.py FOLDER [NAME...]

Without names: those that the tests marked `corpora` read. Archives are only unpacked, nothing in them is installed or
run. What is there already is kept. What cannot be fetched is named, the rest goes on, and the exit code is 1.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

GIT_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}


@dataclass(frozen=True)
class Package:
    """One package of a registry; `root` is the folder of the archive that becomes the repository's root."""

    requirement: str
    registry: str
    root: str = ""
    default: bool = True


PACKAGES = {
    "oscar": Package("django-oscar==4.2.1", "pypi"),
    "flaskbb": Package("FlaskBB==2.0.2", "pypi"),
    "datasette": Package("datasette==0.65.5", "pypi"),
    "kinto": Package("kinto==26.5.0", "pypi"),
    "pretix": Package("pretix==2026.8.0", "pypi", default=False),
    "redmine": Package("redmine", "debian", root="usr/share/redmine"),
    "schleuder": Package("schleuder", "debian", root="usr/lib/ruby/vendor_ruby"),
    "puppet": Package("puppet-agent", "debian", default=False),
    "cargo": Package("librust-cargo-dev", "debian", root="usr/share/cargo/registry/*"),
    "clap": Package("librust-clap-dev", "debian", root="usr/share/cargo/registry/*"),
    # for patterns, languages that no grammar of ours reads: Lua, Elixir, COBOL, PL/SQL, Terraform
    "prosody": Package("prosody", "debian", root="usr/lib/prosody"),
    "elixir": Package("elixir-lang=1.14.0.dfsg-2", "debian-source", root="*"),
    "gnucobol": Package("gnucobol3=3.1.2-5", "debian-source", root="*"),
    "oracledb": Package("python-oracledb=1.2.1-3", "debian-source", root="*"),
    "nebari": Package("nebari==2025.10.1", "pypi"),
    "node-red-editor-api": Package("@node-red/editor-api@5.0.7", "npm", root="package"),
    "ghost": Package("ghost@5.130.6", "npm", root="package"),
    "rxjs": Package("rxjs@7.8.2", "npm", root="package"),
    "zod": Package("zod@4.6.7", "npm", root="package"),
    # not a corpus: the program that draws our diagrams
    "mermaid": Package("mermaid@11.17.2", "npm", root="package/dist"),
}


def run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=240)


def only_file(folder: Path) -> Path:
    (archive,) = folder.iterdir()
    return archive


def from_pypi(requirement: str, downloads: Path, unpacked: Path) -> None:
    options = ["-q", "--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--dest", "."]
    # A virtual environment that uv made has no pip of its own.
    pip = [sys.executable, "-m", "pip"] if importlib.util.find_spec("pip") else ["pip"]
    run([*pip, "download", *options, requirement], downloads)
    with zipfile.ZipFile(only_file(downloads)) as wheel:
        wheel.extractall(unpacked)


def from_debian(requirement: str, downloads: Path, unpacked: Path) -> None:
    run(["apt-get", "-qq", "download", requirement], downloads)
    run(["dpkg", "-x", str(only_file(downloads)), str(unpacked)], downloads)


@cache
def source_index() -> list[str]:
    """Options that make apt read an index of source packages of its own: the machine's lists are left as they are."""
    state = tempfile.mkdtemp(prefix="corpora-apt-")
    atexit.register(shutil.rmtree, state, ignore_errors=True)
    known = ["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)"]
    filters = ["Created-By: Packages", "Origin: Debian"]
    targets = subprocess.run([*known, *filters], check=True, capture_output=True, text=True, timeout=60)
    # Updates and security hold what changes; the release itself keeps the versions that are pinned here.
    release = sorted({line for line in targets.stdout.splitlines() if "-" not in line.split()[1]})
    Path(state, "sources.list").write_text("".join(f"deb-src {line}\n" for line in release), "utf-8")
    Path(state, "lists/partial").mkdir(parents=True)
    settings = {
        "Dir::Etc::sourcelist": f"{state}/sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": f"{state}/lists",
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
    }
    options = [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]
    run(["apt-get", "-qq", *options, "update"], Path(state))
    return options


def from_debian_source(requirement: str, downloads: Path, unpacked: Path) -> None:
    """The authors' archive of a source package; Debian's own patches are not applied."""
    run(["apt-get", "-qq", *source_index(), "source", "--download-only", "--tar-only", requirement], downloads)
    (archive,) = (path for path in downloads.glob("*.orig.tar.*") if path.suffix != ".asc")
    run(["tar", "-xf", str(archive), "--no-same-owner"], unpacked)


def from_npm(requirement: str, downloads: Path, unpacked: Path) -> None:
    run(["npm", "pack", "--silent", "--ignore-scripts", requirement], downloads)
    run(["tar", "-xzf", str(only_file(downloads)), "--no-same-owner"], unpacked)


REGISTRIES: dict[str, Callable[[str, Path, Path], None]] = {
    "pypi": from_pypi,
    "debian": from_debian,
    "debian-source": from_debian_source,
    "npm": from_npm,
}


def commit_everything(repository: Path, name: str) -> None:
    git = ["git", "-c", "core.hooksPath=/dev/null", "-c", "user.name=Corpora", "-c", "user.email=corpora@example.com"]
    run([*git, "init", "-q", "-b", "main"], repository)
    run([*git, "-c", "core.autocrlf=false", "add", "-A", "-f"], repository)
    run([*git, "commit", "-q", "-m", f"Import {name} from its registry"], repository)


def fetch(name: str, folder: Path, package: Package | None = None) -> None:
    """Make `folder/name`, of the list above or of a package that is named; it appears only when it is complete."""
    package = package or PACKAGES[name]
    with tempfile.TemporaryDirectory(dir=folder, prefix=f".{name}-") as scratch:
        downloads, unpacked = Path(scratch, "downloads"), Path(scratch, "unpacked")
        downloads.mkdir()
        unpacked.mkdir()
        REGISTRIES[package.registry](package.requirement, downloads, unpacked)
        (root,) = sorted(unpacked.glob(package.root)) if package.root else [unpacked]
        commit_everything(root, name)
        shutil.move(root, folder / name)


def main(arguments: list[str]) -> int:
    if not arguments or unknown(arguments[1:]):
        sys.stderr.write(f"{__doc__}\nnames: {', '.join(PACKAGES)}\n")
        return 2
    folder = Path(arguments[0]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.update(GIT_ENVIRONMENT)
    failed = []
    for name in arguments[1:] or [name for name, package in PACKAGES.items() if package.default]:
        if (folder / name / ".git").exists():
            continue
        try:
            fetch(name, folder)
            print(f"{name}: fetched", flush=True)
        except (OSError, ValueError, subprocess.SubprocessError, zipfile.BadZipFile) as error:
            failed.append(name)
            print(f"{name}: not fetched ({type(error).__name__}: {error})", flush=True)
    return 1 if failed else 0


def unknown(names: list[str]) -> list[str]:
    return [name for name in names if name not in PACKAGES]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
