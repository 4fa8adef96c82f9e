#!/bin/sh
# SPDX-License-Identifier: MIT
# Install the Debian packages that a lane of the Makefile needs (12 and 13).
#
# usage: tools/deps.sh LANE...
#
# As root installs what is missing; otherwise prints the one command that does
# and exits 1. Quick when nothing is missing. Exit status 2 for an unknown lane.
set -eu

base="gcc make libc6-dev"

# what compiles for the board, where gcc itself does not
cross()
{
	[ "$(dpkg --print-architecture)" = arm64 ] || echo "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
}

packages()
{
	case $1 in
	build)	echo "$base" ;;
	demo)	echo "$base libpng-dev" ;;
	check)	echo "$base python3 clang libclang-rt-dev ccache git" ;;
	bench)	echo "$base libopenblas0 python3" ;;
	vm)	echo "$base $(cross) python3 ninja-build meson" \
			"libglib2.0-dev libfdt-dev libpixman-1-dev pkg-config flex bison bc" \
			"libssl-dev libelf-dev dpkg-dev mmdebstrap device-tree-compiler kmod xz-utils" \
			"coccinelle sparse perl" ;;
	*)
		echo "deps.sh: no such lane: $1 (build, demo, check, bench, vm)" >&2
		exit 2
		;;
	esac
}

# Those of the given packages that are not installed.
missing()
{
	format='${Package} ${db:Status-Status}\n'
	installed=$(dpkg-query -W -f "$format" "$@" 2>/dev/null | sed -n 's/ installed$//p') || true
	for package in "$@"; do
		echo "$installed" | grep -qx "$package" || echo "$package"
	done
}

# After an update, since the lists of a fresh machine are empty or old. Under a
# lock, since a parallel make asks for two lanes at once and apt does not wait.
install()
{
	export DEBIAN_FRONTEND=noninteractive
	exec 9>/run/lock/scoria-deps
	flock 9
	apt-get -q update
	apt-get -q install -y --no-install-recommends "$@"
}

[ $# -gt 0 ] || { echo "usage: tools/deps.sh build|demo|check|bench|vm ..." >&2; exit 2; }

wanted=
for lane in "$@"; do
	list=$(packages "$lane")
	wanted="$wanted $list"
done
# shellcheck disable=SC2046,SC2086 # lists of names are meant to split
set -- $(missing $wanted | sort -u)
[ $# -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ]; then
	echo "Packages are missing. Install them with:" >&2
	echo "    sudo apt-get install --no-install-recommends $*" >&2
	exit 1
fi
echo "Installing $*"
install "$@"
