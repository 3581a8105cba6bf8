#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Errors that 'observe' sees in the traffic take a server down, and "on-marked-down
# shutdown-sessions" ends the very exchanges in which they were seen: with one process and with
# workers.
. "${0%/*}/../lib.sh"

refused=127.0.0.1:$(ports 1)
there="check addr ${front%:*} port ${front#*:}"

backend() {
	printf 'backend %s\n\tserver s %s %s observe %s error-limit 1 on-error %s\n' "$1" "$2" "$there" \
		"$3" "$4"
}

configuration() {
	cat <<END
$1
$(http_defaults)
	retries 0
	default-server inter 1h on-marked-down shutdown-sessions
frontend fe
	bind $front
	use_backend %[path,field(2,/)]
$(backend mark "$back" layer7 mark-down)
$(backend mark2 "$back" layer7 mark-down)
$(backend mark3 "$back" layer7 mark-down)
$(backend sudden "$back" layer7 "sudden-death fall 1")
$(backend fail "$back" layer7 "fail-check fall 1")
$(backend refused "$refused" layer4 mark-down)
$(backend spare "$refused" layer4 mark-down)
	server t $back backup
END
}

for way in "" "nbproc 2"; do
	say "## ${way:-one process}"
	configuration "	$way" | config
	if [ -n "$way" ]; then start_workers; else start_penstock; fi
	driver "${0%/*}/observe_shutdown.py" || failures=1
	stop_penstock
done
finish
