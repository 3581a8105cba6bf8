#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Penstock accepts and refuses the configurations of verdicts.txt as recorded there, which is as the
# reference does but for the differences that the list gives reasons for. PENSTOCK=haproxy: are the
# reference's verdicts recorded rightly? Beside the sanitizers every fourth is judged (in_full).
. "${0%/*}/../lib.sh"

unset NOPE PENSTOCK_NOPE X GOT
cases=$srcdir/reg-tests/config/verdicts.txt
workers=4
shares=$workers
in_full || shares=$((workers * 4))

# judge WORKER: the cases that are its share; one line in its file for each.
judge() {
	cfg=$dir/$1.cfg said=$dir/$1.said turn=0
	while read -r reference ours name; do
		case $reference in '#') continue ;; esac
		read -r text
		turn=$(((turn + 1) % shares))
		[ "$turn" -eq "$1" ] || continue
		case $PENSTOCK in *haproxy) wanted=$reference ;; *) wanted=$ours ;; esac
		printf '%b' "$text" >"$cfg"
		"$PENSTOCK" -c -f "$cfg" >"$said" 2>&1
		got=$?
		[ "$got" -eq 2 ] && got=0 # nothing listens: valid
		say "# $name"
		if [ "$got" -ne "$wanted" ]; then
			cat "$said"
			fail "$name: $got, wanted $wanted"
		fi
		# Whatever is refused is explained in one place at least, with a caret where it is a
		# word.
		case $PENSTOCK in *haproxy) continue ;; esac
		if [ "$got" -eq 1 ] && ! grep -qE '^[^ ]+cfg:[0-9]+(:[0-9]+)?: error: .' "$said"; then
			cat "$said"
			fail "$name: refused without saying where"
		fi
	done <"$cases" >"$dir/judged.$1"
}

worker=0
while [ "$worker" -lt "$workers" ]; do
	judge "$worker" &
	worker=$((worker + 1))
done
wait
cat "$dir"/judged.* >"$dir/judged"
grep -v '^# ' "$dir/judged"
count=$(grep -c '^# ' "$dir/judged")
check "$count configurations" test "$count" -ge 200
check "each has its verdict" sh -c '! grep -q "^FAILED" "$1"' sh "$dir/judged"
finish
