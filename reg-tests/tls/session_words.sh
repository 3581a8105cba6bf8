#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Words about TLS sessions: what is accepted, and what a bad file of ticket keys is told.
. "${0%/*}/../lib.sh"

"$PENSTOCK" -vv | grep -q '+OPENSSL' || exit 77
printf 'global\n\ttune.ssl.cachesize 0\n\ttune.ssl.lifetime 60\n\ttune.ssl.force-private-cache\n' >"$dir/cfg"
printf 'frontend f\n\tmode http\n\ttimeout client 1s\n\tbind 127.0.0.1:1\n' >>"$dir/cfg"
check "the words are taken" "$PENSTOCK" -c -q -f "$dir/cfg"
refused() {
	! "$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1 && grep -q "$1" "$log"
}
printf 'frontend f\n\tmode http\n\tbind 127.0.0.1:1 ssl tls-ticket-keys %s\n' "$dir/keys" >"$dir/cfg"
check "a file that is missing" refused "No such file"
openssl rand -base64 48 >"$dir/keys"
check "too few keys" refused "1 keys: at least 3"
echo secret >>"$dir/keys"
check "what is no key" refused "line 2: a key is not 48 or 80 bytes"
check "what it says shows no key" sh -c "! grep -q secret '$log'"
printf 'global\n\ttune.ssl.cachesize many\n' >"$dir/cfg"
check "a size that is no number" refused "tune.ssl.cachesize"
finish
