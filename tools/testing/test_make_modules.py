#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `make modules` and DKMS say before they build, in TAP (P12)."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools/testing/vm"))
import tap      # pylint: disable=wrong-import-position

PAGES = ["README.md", "Documentation/accel/scoria/install.rst"]


def refused(directory, kernel, words):
    """What speaks against: `make modules` for a kernel fails, says why, and builds nothing."""
    out = directory / "out"
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    done = subprocess.run(["make", "-s", "modules", f"KDIR={kernel}", f"O={out}"], cwd=TOP,
                          env=environment, capture_output=True, text=True, check=False)
    if done.returncode and words in done.stderr and not out.exists():
        return []
    return [f"exit {done.returncode}, not {words!r}: {done.stdout}{done.stderr}"]


def kernel_without_accel(directory):
    config = directory / "kernel/include/config/auto.conf"
    config.parent.mkdir(parents=True)
    config.write_text("CONFIG_DRM=m\nCONFIG_DRM_ACCEL_QAIC=y\n")
    return config.parents[2]


def other_versions():
    """Places that name another version of the package than dkms.conf does."""
    version = re.search(r'^PACKAGE_VERSION="(.*)"', (TOP / "dkms.conf").read_text(), re.M)[1]
    for page in PAGES:
        named = re.findall(r"scoria/(\d[\d.]*\d)", (TOP / page).read_text())
        if not named or set(named) != {version}:
            yield f"{page} names {named}, dkms.conf {version}"


def claims(directory):
    yield ("kernel_without_accel_is_refused",
           refused(directory, kernel_without_accel(directory), "CONFIG_DRM_ACCEL off"))
    yield ("missing_kernel_is_refused",
           refused(directory, directory / "none", "none is no configured kernel tree"))
    yield ("missing_headers_are_named",
           refused(directory, "/lib/modules/7.3.4-none/build", "linux-headers-7.3.4-none"))
    yield "pages_name_the_version_of_the_package", list(other_versions())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        sys.exit(tap.report(claims(pathlib.Path(name))))
