#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Words about what is kept of handshakes: sizes have bounds, keylog is on or off.
. "${0%/*}/../lib.sh"

"$PENSTOCK" help tune.ssl.keylog >/dev/null 2>&1 || {
	say "this build has no TLS"
	exit 77
}

# verdict WORDS...: of a configuration with this line in its global section.
verdict() {
	printf 'global\n\t%s\nlisten l\n\tbind 127.0.0.1:1\n\tmode tcp\n\ttimeout connect 1s\n\ttimeout client 1s\n\ttimeout server 1s\n' "$1" >"$dir/cfg"
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
}
refused() { ! verdict "$1"; }

check "a size" verdict "tune.ssl.capture-buffer-size 800"
check "none" verdict "tune.ssl.capture-buffer-size 0"
check "more than a hello can have" refused "tune.ssl.capture-buffer-size 65536"
check "below zero" refused "tune.ssl.capture-buffer-size -1"
check "the old name" verdict "tune.ssl.capture-cipherlist-size 100"
check "is called old" grep -q "deprecated: use tune.ssl.capture-buffer-size" "$log"
check "keylog on" verdict "tune.ssl.keylog on"
check "keylog off" verdict "tune.ssl.keylog off"
check "keylog maybe" refused "tune.ssl.keylog maybe"
finish
