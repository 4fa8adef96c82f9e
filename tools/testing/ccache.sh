#!/bin/sh
# SPDX-License-Identifier: MIT
# Run a compiler through ccache, so that a check in a fresh clone compiles only
# what no earlier check did; as it is where there is no ccache.
#
# usage: tools/testing/ccache.sh COMPILER ARGUMENT...
set -eu

command -v ccache >/dev/null || exec "$@"

# where the builds of the board are kept, too (tools/testing/vm/cache.py)
cache=${SCORIA_CACHE:-/var/cache/scoria}
mkdir -p "$cache" 2>/dev/null || :
if [ -w "$cache" ]; then
	export CCACHE_DIR="$cache/ccache" CCACHE_MAXSIZE=1G
fi
exec ccache "$@"
