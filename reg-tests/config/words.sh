#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each word that penstock knows stands in a test of reg-tests/*/*.vtc, in its place: a word of bind lines
# on a bind or "stats socket" line, one of server lines on a server or default-server line.
. "${0%/*}/../lib.sh"

cat "$srcdir"/reg-tests/*/*.vtc >"$dir/tests"
printf 'listen l\n\tbind 127.0.0.1:1\n' >"$dir/cfg"
"$PENSTOCK" -c -q -dKcfg -f "$dir/cfg" 2>"$log" | sed -n 's/^	//p' | sort -u >"$dir/words"
missing=0
while read -r line; do
	case $line in
	"bind <address> "*) before='(bind|stats socket) .* ' word=${line#"bind <address> "} ;;
	"server <name> <address> "*) before='(server|default-server) .*' word=${line#"server <name> <address> "} ;;
	"stats socket <address> "*) before='stats socket .* ' word=${line#"stats socket <address> "} ;;
	*) before='^[	 ]*((no|default) )?' word=$line ;;
	esac
	# Arguments are behind the name: <...>, {...}, [...], or words in "a|b".
	word=$(printf '%s\n' "$word" | sed 's/ [<[{|].*//; s/ [^ ]*|.*//; s/ proc\.<name>//; s/ listeners$//; s/\./\\./g')
	grep -qE "$before$word( |\$)" "$dir/tests" || {
		say "in no test: $line"
		missing=$((missing + 1))
	}
done <"$dir/words"
check "$(wc -l <"$dir/words") words, $missing without a test" test "$missing" -eq 0
finish
