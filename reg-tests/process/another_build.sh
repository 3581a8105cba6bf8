#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A reload into a build that lays out shared memory otherwise: each region is refused, none is
# misread, and the service goes on. Its numbers, session caches, keys of tickets and stick tables
# begin anew; what is under way with the workers of before is finished; keys from a file are as they
# were; nothing leaks. The same layout again, in another program, takes all of it. By hand,
# OTHER=PROGRAM is a build of before or after: it is reloaded into, and back; else the regions are
# made to look like another build's.
. "${0%/*}/../lib.sh"

"$PENSTOCK" -vv | grep -q '+OPENSSL' || exit 77
openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 30 -subj /CN=localhost \
	-keyout "$dir/key" -out "$dir/crt" 2>/dev/null || exit 77
cat "$dir/crt" "$dir/key" >"$dir/pem"
for i in 1 2 3; do openssl rand -base64 80 | tr -d '\n'; echo; done >"$dir/keys"
own=127.0.0.1:$(ports 1)
file=127.0.0.1:$(ports 1)
cache=127.0.0.1:$(ports 1)
config <<END
	nbproc 2
defaults d
	mode http
	timeout client 2m
	timeout connect 30s
	timeout server 2m
frontend fe
	bind $front
	http-request return status 200 if { path /here }
	default_backend be
frontend own
	bind $own ssl crt $dir/pem allow-0rtt
	http-request return status 200
frontend file
	bind $file ssl crt $dir/pem tls-ticket-keys $dir/keys
	http-request return status 200
frontend cache
	bind $cache ssl crt $dir/pem no-tls-tickets
	http-request return status 200
backend be
	server s1 $back weight 10
backend table
	stick-table type string len 10 size 1k expire 1h store gpc0
END
first=$PENSTOCK
PENSTOCK=$dir/penstock
cp "$first" "$PENSTOCK"
start_workers

get() { # a request that is answered: its first line
	python3 - "$front" <<'PY'
import socket
import sys

host, port = sys.argv[1].split(":")
with socket.create_connection((host, int(port))) as s:
    s.sendall(b"GET /here HTTP/1.0\r\n\r\n")
    sys.exit(not b" 200 " in s.recv(4096)[:16])
PY
}
# hold: a request under way with a worker of now, which is finished when $dir/go is there.
hold() {
	mkfifo "$dir/go"
	python3 - "$front" "$dir" <<'PY' &
import socket
import sys

host, port = sys.argv[1].split(":")
with socket.create_connection((host, int(port))) as s:
    s.sendall(b"GET /here HTTP/1.0\r\n")
    open(sys.argv[2] + "/held", "w").close()
    open(sys.argv[2] + "/go").close()
    s.sendall(b"\r\n")
    sys.exit(not b" 200 " in s.recv(4096)[:16])
PY
	held=$!
	until_true 60 test -e "$dir/held"
}
finished() {
	: >"$dir/go"
	wait "$held"
	ended=$?
	rm -f "$dir/go" "$dir/held"
	return "$ended"
}
# Each head says that it is of another layout: bytes 16 to 24 of it.
disguise() {
	python3 "${0%.sh}.py" "$pid"
}
visit() {
	to=$1
	shift
	printf 'GET / HTTP/1.0\r\n\r\n' | timeout 60 openssl s_client -connect "$to" -tls1_2 \
		-ign_eof "$@" >"$dir/said" 2>&1
}
session() { visit "$1" -sess_out "$dir/session.$2" && grep -q '^New' "$dir/said"; }
resumes() { visit "$1" -sess_in "$dir/session.$2" && grep -q '^Reused' "$dir/said"; }
begins() { visit "$1" -sess_in "$dir/session.$2" && grep -q '^New' "$dir/said"; }
requests() { ask "show stat" | awk -F, '$1 == "fe" && $2 == "FRONTEND" { print $8 }'; }
counts() { [ "$(requests)" -ge "$1" ]; }
anew() { grep -c 'Numbers begin anew' "$log"; }
descriptors() { ls "/proc/$pid/fd" | wc -l; }
reload() { "$tool" -s "$parent" ask reload | grep -q "Success=1"; }
alone() { ! "$tool" -s "$parent" ask "show proc" | sed -n '/old workers/,$p' | grep -q '^[0-9]'; }
weight() { ask "get weight be/s1" | grep -q "^$1 "; }
remember() { ask "set table table key $1 data.gpc0 1" >/dev/null; }
remembered() { ask "show table table" | grep -q "key=$1 .*gpc0=1"; }

# sessions STATE: what clients have is resumed ("resumes"), or begins anew and works.
sessions() {
	check "a session of our own keys $1" "$1" "$own" own
	check "a session of the cache $1" "$1" "$cache" cache
	check "a session of keys of a file resumes" resumes "$file" file
}
fresh() {
	check "sessions" eval 'session "$own" own && session "$cache" cache && session "$file" file'
}

fresh
for i in 1 2 3 4 5; do get; done
ask "set weight be/s1 7" >/dev/null
remember one
check "reloaded into itself" reload
check "which takes the numbers" counts 5
check "and the weights" weight 7
check "and stick tables" remembered one
sessions resumes
until_true 60 alone
before=$(descriptors)
[ "$(anew)" -eq 0 ] || fail "numbers began anew"

say "## another build"
hold
if [ -n "${OTHER:-}" ]; then
	rm "$PENSTOCK" && cp "$OTHER" "$PENSTOCK"
else
	check "regions look like another build's, and nobody can cut them off" disguise
fi
check "reloaded" reload
check "it says that numbers begin anew" test "$(anew)" -eq 1
check "it serves" get
check "a worker of before finishes what it has" finished
check "the weight is that of the file" weight 10
[ -n "${OTHER:-}" ] || check "a stick table begins anew" eval '! remembered one'
sessions begins
until_true 60 alone
after=$(descriptors)
check "the parent has as many descriptors: $before, $after" test "$after" -eq "$before"
numbers=$(requests)
check "numbers are few: $numbers" test "$numbers" -lt 5

say "## and again"
fresh
ask "set weight be/s1 8" >/dev/null
remember two
hold
# Another program, though of the same layout, where it can be had.
rm "$PENSTOCK"
strip -o "$PENSTOCK" "$first" 2>/dev/null || cp "$first" "$PENSTOCK"
check "reloaded" reload
check "it serves" get
check "a worker of before finishes what it has" finished
if [ -n "${OTHER:-}" ]; then
	check "numbers begin anew" test "$(anew)" -eq 2
	sessions begins
else
	check "numbers go on" test "$(anew)" -eq 1
	check "in all" counts "$numbers"
	check "and weights" weight 8
	check "and stick tables" remembered two
	sessions resumes
fi
until_true 60 alone
after=$(descriptors)
check "the parent has as many descriptors: $before, $after" test "$after" -eq "$before"
sound() { ask "expert-mode on; debug dev segment" | grep -q "The segment is sound"; }
check "its memory is sound" sound

if command -v prlimit >/dev/null && ! sanitized; then
	say "## no memory for a larger cache"
	fresh
	sed 's/^\tnbproc 2/&\n\ttune.ssl.cachesize 200000000/' "$dir/cfg" >"$dir/large"
	cp "$dir/cfg" "$dir/small"
	cp "$dir/large" "$dir/cfg"
	limit=$(prlimit --pid "$pid" --as --noheadings --output HARD)
	prlimit --pid "$pid" --as=8000000000:"$limit"
	check "a reload fails" eval '! reload'
	check "it says why" grep -q "no memory for .*TLS sessions: Cannot allocate memory" "$log"
	check "the workers of before serve on" get
	check "with their sessions" resumes "$cache" cache
	cp "$dir/small" "$dir/cfg"
	check "a good one goes on with them" reload
	check "all of them" resumes "$cache" cache
	prlimit --pid "$pid" --as="$limit:$limit"
	cp "$dir/large" "$dir/cfg"
	check "where there is memory the larger one is had" reload
	check "and begins anew" begins "$cache" cache
	check "the memory is sound" sound
fi
finish
