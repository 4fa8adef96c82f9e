# SPDX-License-Identifier: MIT
"""Packages and sources from Debian, through an apt of our own.

Its lists and settings live in the cache, so the host's sources (which seldom
have deb-src, and no other suites) stay as they are.
"""
import functools
import os
import pathlib
import shutil
import subprocess
import time

import cache

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
LISTS_SECONDS = 24 * 3600       # how old package lists may be


def run(args, **kwargs):
    """Run a command; its output goes to the end of the message if it fails."""
    done = subprocess.run([str(arg) for arg in args], text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **kwargs)
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-40:])
        raise SystemExit(f"{' '.join(map(str, args))}: exit {done.returncode}\n{tail}")
    return done.stdout


@functools.lru_cache
def architecture():
    """The host's, as Debian calls it: of programs that run here."""
    return run(["dpkg", "--print-architecture"]).strip()


@functools.lru_cache
def mirrors():
    """Where the host gets Debian and its security updates from."""
    found = {"Debian": "http://deb.debian.org/debian",
             "Debian-Security": "http://deb.debian.org/debian-security"}
    targets = run(["apt-get", "indextargets", "--format", "$(LABEL)|$(REPO_URI)"])
    for line in targets.splitlines():
        label, _, uri = line.partition("|")
        if label in found:
            found[label] = uri.rstrip("/")
    return found


class Apt:
    """An apt for the suites of one Debian release."""

    def __init__(self, name, suites, source=False):
        self.directory = cache.root() / "apt" / name
        uris = mirrors()
        lines = []
        for suite in suites:
            label = "Debian-Security" if suite.endswith("-security") else "Debian"
            end = f"[arch=amd64,arm64 signed-by={KEYRING}] {uris[label]} {suite} main"
            lines.append(f"deb {end}")
            if source:
                lines.append(f"deb-src [signed-by={KEYRING}] {uris[label]} {suite} main")
        self.sources = "\n".join(lines) + "\n"
        with cache.locked("apt"):
            self._update()

    def _options(self):
        d = self.directory
        return [f"-oDir::Etc::sourcelist={d}/sources.list", "-oDir::Etc::sourceparts=/dev/null",
                "-oDir::Etc::preferencesparts=/dev/null", f"-oDir::State={d}",
                f"-oDir::State::Lists={d}/lists", f"-oDir::State::status={d}/status",
                f"-oDir::Cache={d}/cache", "-oAPT::Architectures=amd64,arm64",
                "-oAPT::Sandbox::User=root", "-oAcquire::Languages=none"]

    def _update(self):
        d = self.directory
        stamp = d / "updated"
        written = d / "sources.list"
        if written.exists() and written.read_text() == self.sources and stamp.exists() \
                and time.time() - stamp.stat().st_mtime < LISTS_SECONDS:
            return
        for sub in ("lists/partial", "cache/archives/partial"):
            (d / sub).mkdir(parents=True, exist_ok=True)
        (d / "status").touch()
        written.write_text(self.sources)
        run(["apt-get", *self._options(), "update"])
        shutil.rmtree(d / "answers", ignore_errors=True)
        stamp.touch()

    def query(self, *args):
        """The output of an apt-cache command, remembered until the next update.

        apt takes seconds of work to answer, and every build asks.
        """
        memory = self.directory / "answers" / cache.digest(args)
        try:
            return memory.read_text()
        except FileNotFoundError:
            answer = run(["apt-cache", *self._options(), *args])
            memory.parent.mkdir(exist_ok=True)
            part = memory.with_suffix(f".{os.getpid()}")
            part.write_text(answer)
            part.rename(memory)
            return answer

    def version(self, package, suite=None):
        """The newest version of a package, in any or in one suite."""
        choice = ["-t", suite] if suite else []
        for line in self.query(*choice, "policy", package).splitlines():
            key, _, value = line.strip().partition(": ")
            if key == "Candidate" and value != "(none)":
                return value
        raise SystemExit(f"no package {package} in {self.sources}")

    def source_version(self, package):
        """The newest version of a source package."""
        best = None
        for line in self.query("showsrc", "--only-source", package).splitlines():
            if line.startswith("Version: "):
                version = line[len("Version: "):]
                if not best or subprocess.call(["dpkg", "--compare-versions", version, "gt",
                                                best]) == 0:
                    best = version
        if not best:
            raise SystemExit(f"no source package {package}")
        return best

    def unpack(self, package, version, directory):
        """Unpack a binary package (name or name:arch) into a directory."""
        self.unpack_all({package: version}, directory)

    def unpack_all(self, versions, directory):
        """Unpack packages, versions by name: apt takes seconds to start, once for all."""
        directory = pathlib.Path(directory)
        work = directory.with_name(directory.name + ".deb")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        wanted = [f"{package}={version}" for package, version in versions.items()]
        run(["apt-get", *self._options(), "download", *wanted], cwd=work)
        for deb in sorted(work.glob("*.deb")):
            run(["dpkg-deb", "-x", deb, directory])
        shutil.rmtree(work)

    def unpack_source(self, package, version, directory):
        """Unpack a source package, with Debian's patches, as `directory`."""
        work = pathlib.Path(directory).with_suffix(".dsc")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        run(["apt-get", *self._options(), "source", f"{package}={version}"], cwd=work)
        tree, = [path for path in work.iterdir() if path.is_dir()]
        os.rename(tree, directory)
        shutil.rmtree(work)


def bookworm():
    return Apt("bookworm", ["bookworm", "bookworm-security"], source=True)


def trixie():
    return Apt("trixie", ["trixie", "trixie-backports"])


def forky():
    return Apt("forky", ["forky"])
