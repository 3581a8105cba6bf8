#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Penstock accepts and refuses the configurations of verdicts.txt as recorded there, which is as the
# reference does but for the differences that the list gives reasons for. PENSTOCK=haproxy: are the
# reference's verdicts recorded rightly?
. "${0%/*}/../lib.sh"

unset NOPE PENSTOCK_NOPE X GOT
cases=$srcdir/reg-tests/config/verdicts.txt
count=0
while read -r reference ours name; do
	case $reference in '#') continue ;; esac
	read -r text
	case $PENSTOCK in *haproxy) wanted=$reference ;; *) wanted=$ours ;; esac
	printf '%b' "$text" >"$dir/cfg"
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
	got=$?
	[ "$got" -eq 2 ] && got=0 # nothing listens: valid
	count=$((count + 1))
	if [ "$got" -ne "$wanted" ]; then
		cat "$log"
		fail "$name: $got, wanted $wanted"
	fi
	# Whatever is refused is explained in one place at least, with a caret where it is a word.
	case $PENSTOCK in *haproxy) continue ;; esac
	if [ "$got" -eq 1 ] && ! grep -qE '^[^ ]+cfg:[0-9]+(:[0-9]+)?: error: .' "$log"; then
		cat "$log"
		fail "$name: refused without saying where"
	fi
done <"$cases"
check "$count configurations" test "$count" -ge 200
finish
