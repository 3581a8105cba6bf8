#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /etc/resolv.conf as the configuration has it: resolv.py, with a file and name servers (port 53) of
# its own, in namespaces of its own.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
"$PENSTOCK" -vv | grep -q '+CARES' || { say "this build asks no name servers"; exit 77; }
if [ -z "${OWN_NETWORK:-}" ]; then
	unshare -n -m true 2>/dev/null || { say "needs namespaces: the file and port 53 are the machine's"; exit 77; }
	cleanup
	OWN_NETWORK=1 exec unshare -n -m sh -c 'ip link set lo up; exec sh "$@"' sh "$0" "$@"
fi
: >"$dir/resolv.conf"
mount --bind "$dir/resolv.conf" /etc/resolv.conf || { say "/etc/resolv.conf cannot be replaced"; exit 77; }
python3 "${0%/*}/resolv.py" --penstock "$PENSTOCK" --dir "$dir" --file "$dir/resolv.conf" || fail "resolv.py"
finish
