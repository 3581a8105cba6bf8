#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Large configurations are read in a time that grows with their length and not with its square: what
# takes a second here took two minutes when names and numbers were looked for one after the other.
. "${0%/*}/../lib.sh"

cfg=$dir/large.cfg
{
	cat <<-'EOF'
	defaults
		mode http
		timeout connect 1m
		timeout client 1m
		timeout server 1m
	listen ports
		bind 127.0.0.1:1024-65535
	EOF
	awk 'BEGIN {
		print "userlist people"
		for (i = 0; i < 20000; i++)
			print "\tuser u" i " insecure-password x"
		print "frontend many\n\tbind 127.0.0.1:1000"
		for (i = 0; i < 20000; i++)
			print "\tacl a" i " path /" i
		for (i = 0; i < 10000; i++)
			print "\tuse_backend b" i " if a" 2 * i
		for (i = 0; i < 10000; i++)
			print "backend b" i "\n\tserver s 127.0.0.1:1"
		print "backend wide"
		for (i = 0; i < 20000; i++)
			print "\tserver s" i " 127.0.0.1:1"
	}'
} >"$cfg"

# read_it SECONDS: of the CPU, not of the clock on the wall.
read_it() { (ulimit -t "$1" && "$PENSTOCK" -c -f "$cfg") >"$log" 2>&1; }
check "$(wc -l <"$cfg") lines are read in less than 40 seconds" read_it 40
[ "$failures" -eq 0 ] || tail -5 "$log"

printf 'frontend again\n\tuse_backend b9999 if a19999\nbackend b777\nbackend wide2\n' >>"$cfg"
printf '\tserver s1 127.0.0.1:1\n\tserver s2 127.0.0.1:1 id 7\n\tserver s3 127.0.0.1:1 id 7\n' >>"$cfg"
printf '\tserver s1 127.0.0.1:1\n' >>"$cfg"
read_it 40
check "an ACL belongs to its section" grep -q "a19999" "$log"
check "a name given twice is found" grep -q "backend 'b777' has the same name as backend 'b777' at" "$log"
check "and that of a server" grep -q "there is another server 's1' in 'wide2', at" "$log"
check "and a number" grep -q "server 's3' has the id 7, which server 's2' at" "$log"

# So are those with many problems.
awk 'BEGIN {
	print "frontend many\n\tbind 127.0.0.1:1000"
	for (i = 0; i < 70000; i++)
		print "\tuse_backend nope" i " if { path /" i " }\n\tserverr s" i " 127.0.0.1:1\n\tclitimeout 1s"
}' >"$cfg"
read_it 40
check "$(grep -c ' error: ' "$log") errors are found in less than 40 seconds" \
	test "$(grep -c ' error: ' "$log")" -eq 140001
check "those of the end, too" grep -q "there is no backend 'nope69999'" "$log"
check "the same in many lines is said once" grep -q "also in lines .* and 69987 more" "$log"
finish
