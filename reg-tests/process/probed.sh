#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The short form of contrib/probes/run-suite: some tests of the suite under probes, for some
# seconds. First it must find what is put there: a process that dies, and one that vanishes. Builds
# without the sanitizers have no probes.
. "${0%/*}/../lib.sh"

sanitized || { say "no sanitizers, no probes: nothing is run under them"; exit 77; }
suite=$srcdir/contrib/probes/run-suite

# planted NAME WHAT SAID <LINES: a test with these lines has this finding.
planted() {
	{
		printf '. %s/reg-tests/lib.sh\nhttp_proxy | config\nstart_penstock\n' "$(cd "$srcdir" && pwd)"
		cat
		printf 'finish\n'
	} >"$dir/$1.sh"
	"$suite" -b "$topbuild" -l 30 -p 1000000 "$dir/$1.sh" >"$dir/$1.said"
	check "$2 is found" grep -q "^FOUND .*$3" "$dir/$1.said"
	sed -n 's/^FOUND .*(\(.*\))$/\1/p' "$dir/$1.said" | xargs rm -rf
}
planted dies "a process that dies" "AddressSanitizer: SEGV" <<'END'
kill -SEGV $pid
END
planted vanishes "a process that vanishes" "without a word" <<'END'
kill -s KI""LL $pid
END

"$suite" -b "$topbuild" -a -s 16 -l 8 -p "5:11:both 31:12:end 211:13:both" \
	reg-tests/http/keepalive.vtc reg-tests/http/retry_on.vtc reg-tests/http/tunnel_end.vtc \
	reg-tests/http/buffer_request.vtc reg-tests/http/interim.vtc reg-tests/http/reuse_aggressive.vtc \
	reg-tests/compress/chunked.vtc reg-tests/stats/prometheus.vtc reg-tests/tcp/redispatch.vtc \
	reg-tests/tcp/accept_proxy.vtc reg-tests/tcp/queue_order.vtc reg-tests/check/marked.vtc \
	reg-tests/relay/half_close.sh reg-tests/tls/new_keys.sh reg-tests/process/one_service.sh \
	>"$dir/said" 2>&1
status=$?
cat "$dir/said"
check "no test leaves anything behind that was ended anywhere" test $status = 0
check "something was done" grep -qv ' at 0 something' "$dir/said"
finish
