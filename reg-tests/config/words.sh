#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each word that penstock knows stands in a test: in a VTC file, a script or a configuration of
# reg-tests, in its place there: a word of bind lines on a bind or "stats socket" line, one of
# server lines on a server or default-server line, others where a line of a configuration begins.
. "${0%/*}/../lib.sh"
in_full || { say "words and tests are the same in each build"; exit 77; }

# In scripts a line of a configuration may begin behind a quote, too, behind \n and \t of printf,
# and behind the words "on" (of a bind line) and "globally" of tls/bind_words.sh.
cat "$srcdir"/reg-tests/*/*.vtc "$srcdir"/reg-tests/*/*/*.cfg >"$dir/tests"
cat "$srcdir"/reg-tests/lib.sh "$srcdir"/reg-tests/*/*.sh | grep -v '^#' | sed 's/\\[nt]/\n/g; s/^on [01] "/bind x /; s/^globally [01] "//; s/\(bind\|server\)_words="*/\n\1 x /g; s/["'"'"']/\n/g' >>"$dir/tests"
printf 'listen l\n\tbind 127.0.0.1:1\n' >"$dir/cfg"
"$PENSTOCK" -c -q -dKcfg -f "$dir/cfg" 2>"$log" | sed -n 's/^	//p' | sort -u >"$dir/words"
# Words of which a test could claim no more than verdicts.txt does, and why.
cat >"$dir/verdicts" <<END
bind <address> nice <nice>: who is served sooner when there is too much to do
bind <address> shards { <number> | by-thread | by-group }: nothing but a notice
bind <address> process <process-set>[/<thread-set>]: nothing but a notice where it leaves out a worker
bind <address> thread [1/]<thread-set>: the same
END
missing=0
while read -r line; do
	case $line in
	"bind <address> "*) before='(bind|stats socket) .* ' word=${line#"bind <address> "} ;;
	"dgram-bind <address> "*) before='dgram-bind .* ' word=${line#"dgram-bind <address> "} ;;
	"server <name> <address> "*) before='(server|default-server) .*' word=${line#"server <name> <address> "} ;;
	"stats socket <address> "*) before='stats socket .* ' word=${line#"stats socket <address> "} ;;
	*) before='^[	 ]*((no|default) )?' word=$line ;;
	esac
	# Arguments are behind the name: <...>, {...}, [...], or words in "a|b".
	word=$(printf '%s\n' "$word" | sed 's/^\[//; s/ [<[{|].*//; s/(<.*//; s/ [^ ]*|.*//; s/ proc\.<name>//; s/ listeners$//; s/\./\\./g')
	grep -qF -e "$line:" "$dir/verdicts" && grep -q "[ t]$word " "$srcdir/reg-tests/config/verdicts.txt" && continue
	grep -qE "$before$word([ (]|\$)" "$dir/tests" || {
		say "in no test: $line"
		missing=$((missing + 1))
	}
done <"$dir/words"
check "$(wc -l <"$dir/words") words, $missing without a test" test "$missing" -eq 0
finish
