#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every example of doc/management.md, in its order, gives the answer that is printed there; every
# command and every field has its entry. In the examples "..." is anything, on a line of its own any
# number of lines; empty lines do not count.
. "${0%/*}/../lib.sh"

doc=$srcdir/doc/management.md
printf '198.51.100.1\n198.51.100.2\n' >"$dir/good.acl"
printf 'one 1\ntwo 2\n' >"$dir/words.map"
{
	printf '\tlocalpeer left\n\tmaxconn 100\n\tlog ring@events format raw local0 notice\n'
	printf 'ring events\n\tdescription "what happened"\n'
	printf 'peers cluster\n\tpeer left 127.0.0.1:%s\n\tpeer right 127.0.0.1:1\n' "$(ports 1)"
	printf '\ttable seen type string size 100 store gpc0\n'
	cat <<END
defaults
	mode tcp
	timeout connect 1s
	timeout client 10s
	timeout server 10s
listen web
	guid front
	bind $front guid-prefix sock
	stick-table type ip size 1k expire 1h store gpc0,http_req_rate(10s)
	server s1 $back weight 10 maxconn 20 check guid web-a
	server s2 $back weight 10 check
frontend origin
	# Connections for the checks of web.
	bind $back
	tcp-request content reject if { src 192.0.2.1 } !{ src -f $dir/good.acl }
	tcp-request content reject if { fc_rcvd_proxy,map($dir/words.map) -m found } or TRUE
defaults web-defaults
	mode http
	timeout connect 1s
	timeout server 10s
END
} | config
start_penstock

# One file a command, one file an answer.
awk -v dir="$dir" '
/^    > / { n++; cmd = dir "/" n ".cmd"; answer = dir "/" n ".want"
	print substr($0, 7) >cmd; printf "" >answer; close(cmd); inside = 1; next }
/^[^ ]/ { inside = 0 }
inside && NF { print substr($0, 5) >answer }
' "$doc"

# matches WANTED SAID
matches() {
	awk '
	function pattern(line) {
		gsub(/[][\\.^$*+?(){}|]/, "\\\\&", line)
		gsub(/\\\.\\\.\\\./, ".*", line)
		return "^" line "$"
	}
	FILENAME == ARGV[1] { want[++wanted] = $0; next }
	NF { said[++count] = $0 }
	END {
		for (i = j = 1; i <= wanted; i++) {
			if (want[i] == "...") {
				if (i == wanted)
					exit 0
				while (j <= count && said[j] !~ pattern(want[i + 1]))
					j++
			} else if (j > count || said[j++] !~ pattern(want[i])) {
				print "wanted: " want[i] "\nsaid:   " said[j - 1]
				exit 1
			}
		}
		exit j <= count
	}' "$1" "$2"
}

example=1
while [ -e "$dir/$example.cmd" ]; do
	command=$(cat "$dir/$example.cmd")
	ask "$command" >"$dir/said"
	check "> $command" matches "$dir/$example.want" "$dir/said"
	example=$((example + 1))
done
check "the page has examples" test "$example" -gt 40

# Words in front of arguments, as help prints them.
ask help | sed -n 's/^  \([a-z][a-z-]*\( [a-z-]*\)*\).*/\1/p' | sed 's/ *$//' >"$dir/commands"
while read -r command; do
	grep -q "^    $command\b\|^###.* $command\(,\|\$\)\|^### $command\b" "$doc" ||
		fail "no entry for the command $command"
done <"$dir/commands"
check "commands have entries" test "$(wc -l <"$dir/commands")" -gt 35

ask "show info desc" | sed -n 's/^\([^:]*\): .*:"\(.*\)"$/| \1 | ... | \2 |/p' >"$dir/fields"
ask "show stat" | sed -n '1s/^# //; 1s/,-,/,/; 1s/,$//; 1s/,/\n/gp' >"$dir/columns"
while IFS='|' read -r _ name _ help _; do
	grep -qF "|$name| " "$doc" && grep -qF "|$help|" "$doc" || fail "no entry for the field$name"
done <"$dir/fields"
check "fields of show info have entries" test "$(wc -l <"$dir/fields")" -gt 80
while read -r name; do
	grep -qE "^\| [0-9]+ \| $name \|" "$doc" || fail "no entry for the column $name"
done <"$dir/columns"
check "columns of show stat have entries" test "$(wc -l <"$dir/columns")" -eq 133
finish
