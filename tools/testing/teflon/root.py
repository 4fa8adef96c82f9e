# SPDX-License-Identifier: MIT
"""Debian's TFLite runtime and Mesa's Teflon delegate for arm64, with all that they need.

Debian's unstable suite has both, and a Mesa that adds right (26.2 does, 26.1 does not).
Packages are unpacked, not installed: no script of theirs runs, and the host's own stay as
they are.
"""
import re

import cache
import debian

SUITE = "sid"
DELEGATE = "mesa-teflon-delegate"
HEADERS = "libtensorflow-lite-dev"
RUNTIME = re.compile(r"libtensorflow-lite\d\S*")
DELEGATE_PATH = "usr/lib/teflon/libteflon.so"
LIBRARIES = "usr/lib/aarch64-linux-gnu"


class Missing(Exception):
    """A package that Debian no longer has."""


def runtime(source):
    """The name of the package with the runtime, which holds its version."""
    found = [line.split()[0] for line in source.query("search", "^libtensorflow-lite").splitlines()]
    found = [name for name in found if RUNTIME.fullmatch(name)]
    if not found:
        raise Missing(f"Debian's {SUITE} has no libtensorflow-lite")
    return found[-1]


def needed(source, packages):
    """The names of these packages and of all that they depend on."""
    listed = source.query("depends", "--recurse", "--important",
                          *(f"{name}:arm64" for name in packages))
    names = (line.removesuffix(":arm64") for line in listed.splitlines())
    return sorted(name for name in names if re.fullmatch(r"[a-z0-9][\w.+-]*", name))


def candidates(source, packages):
    """The version of each package that Debian has for arm64; names alone may be virtual."""
    policy = source.query("policy", *(f"{name}:arm64" for name in packages))
    # apt leaves the own architecture of the host out
    return dict(re.findall(r"^(\S+?)(?::arm64)?:\n.*\n  Candidate: (\d\S*)", policy, re.M))


def tflite_version(versions):
    return next(version for name, version in versions.items() if RUNTIME.fullmatch(name))


def result():
    """The directory with the unpacked packages, and their versions by name.

    Raises Missing when one of the three is gone from Debian.
    """
    source = debian.Apt(SUITE, [SUITE])
    library = runtime(source)
    # the headers' own needs are for C++
    versions = candidates(source, [*needed(source, [library, DELEGATE]), HEADERS])
    for name in (library, DELEGATE, HEADERS):
        if name not in versions:
            raise Missing(f"Debian's {SUITE} has no {name} for arm64")
    foreign = {f"{name}:arm64": version for name, version in versions.items()}
    root = cache.result("teflon-root", [str(versions)],
                        lambda directory: source.unpack_all(foreign, directory), keep=1)
    return root, versions
