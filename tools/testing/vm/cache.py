# SPDX-License-Identifier: MIT
"""Build results outside the checkout, one directory per set of inputs.

A result is made in a directory beside its final place and renamed when it is
whole, so what is there is complete, whoever was interrupted. One lock per kind
lets concurrent runs wait for each other instead of building twice.
"""
import contextlib
import fcntl
import hashlib
import os
import pathlib
import resource
import shutil
import sys
import time


def root():
    """The cache directory; SCORIA_CACHE moves it."""
    path = pathlib.Path(os.environ.get("SCORIA_CACHE", "/var/cache/scoria"))
    path.mkdir(parents=True, exist_ok=True)
    return path


@contextlib.contextmanager
def locked(name):
    """Hold the lock file NAME.lock of the cache."""
    with open(root() / f"{name}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def say(text):
    """One line of progress, with the time, on standard error."""
    print(time.strftime("%H:%M:%S"), text, file=sys.stderr, flush=True)


def digest(inputs):
    """A short hash over strings, bytes and the contents of Paths."""
    total = hashlib.sha256()
    for item in inputs:
        if isinstance(item, pathlib.Path):
            data = item.name.encode() + b"\0" + item.read_bytes()
        else:
            data = item if isinstance(item, bytes) else str(item).encode()
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()[:16]


def processor_seconds():
    """What the programs that ran for us have taken, which no busy host makes longer."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def forget_old(kind, keep):
    """Remove all but the results of KIND used most recently."""
    found = [path for path in root().glob(f"{kind}-*") if path.is_dir()]
    found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in found[keep:]:
        shutil.rmtree(path, ignore_errors=True)


def result(kind, inputs, build, keep=3):
    """The directory of KIND for INPUTS; build(directory) fills a new one."""
    final = root() / f"{kind}-{digest(inputs)}"
    if not final.is_dir():
        with locked(kind):
            if not final.is_dir():
                start, used = time.monotonic(), processor_seconds()
                say(f"building {final.name}")
                part = root() / f"{kind}.part"
                shutil.rmtree(part, ignore_errors=True)
                part.mkdir()
                build(part)
                part.rename(final)
                os.utime(final)         # else an older one may be the last used
                say(f"built {final.name} in {time.monotonic() - start:.0f} s, "
                    f"{processor_seconds() - used:.0f} s of a processor")
                forget_old(kind, keep)
    os.utime(final)
    return final


class Passed:
    """What a check found nothing in, by the digest of all that it looked at.

    Failures are not remembered, and a pass is forgotten when it was not asked
    for in a month.
    """
    SECONDS = 30 * 24 * 3600

    def __init__(self, kind):
        self.directory = root() / kind
        self.directory.mkdir(exist_ok=True)
        oldest = time.time() - self.SECONDS
        for path in self.directory.iterdir():
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)

    def has(self, inputs):
        path = self.directory / digest(inputs)
        if not path.exists():
            return False
        os.utime(path)
        return True

    def add(self, inputs):
        (self.directory / digest(inputs)).touch()
