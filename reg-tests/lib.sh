# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the scripts of reg-tests: starts penstock on free ports with a given configuration,
# asks its stats socket, ends everything by process id. Children and files end with the script.
#
#   . "${0%/*}/../lib.sh"
#   tcp_proxy "option splice-response" | config    # "global" with a stats socket is put in front
#   start_penstock                  # sets pid; its output is in $log
#   relaytest transfer              # client on $front, server on $back; see reg-tests/relay/relaytest.c
#   info PipesUsed                  # a field of show info
#   finish                          # stops it, and says whether everything held
#
# With several workers: start_workers, then driver with a test in Python.
#
# PENSTOCK, topbuild and srcdir come from make check; by hand: run in the folder of the build. With
# SHIM="RULES" (reg-tests/shim/shim.c) penstock runs under the shim, and acted() tells whether a
# rule was used; SHIM_OPTIONS=FILE notes what is asked of sockets, SHIM_CLOCK=FILE sets the clock;
# with shim_while=FILE they apply while it exists. With PENSTOCK=haproxy the reference is judged
# instead, to try the test itself.

: "${srcdir:=$(cd "${0%/*}/../.." && pwd)}"
: "${topbuild:=$(pwd)}"
export topbuild
# What tests in Python share (doc/internals/testing.md).
PYTHONPATH=$(cd "$srcdir/reg-tests/support" && pwd)${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
: "${PENSTOCK:=$topbuild/penstock}"
tool=$topbuild/reg-tests/relay/relaytest
shim=$topbuild/reg-tests/shim/shim.so
failures=0
pid=

dir=$(mktemp -d "${TMPDIR:-/tmp}/penstock.XXXXXX") || exit 1
stats=$dir/stats.sock
parent=$dir/parent.sock
log=$dir/log
children=

cleanup() {
	trap - EXIT
	for child in $children $pid; do
		kill "$child" 2>/dev/null
	done
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

say() { printf '%s\n' "$*"; }
fail() { failures=$((failures + 1)); say "FAILED  $*"; }
pass() { say "ok      $*"; }

# check SENTENCE COMMAND...: ok when the command succeeds.
check() {
	sentence=$1
	shift
	if "$@"; then pass "$sentence"; else fail "$sentence"; fi
}

# ports N: prints N free ports, which no other test is given meanwhile.
ports() { "$tool" -n "$1" ports; }

# until_true SECONDS COMMAND...: repeats it until it succeeds. SECONDS only ever pass when it is
# broken.
until_true() {
	tries=$(($1 * 50))
	shift
	while ! "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.02
	done
}

back=$(ports 2)
front=127.0.0.1:${back%[!0-9]*}
back=127.0.0.1:${back##*[!0-9]}

splice="option splice-request
	option splice-response"

# tcp_proxy [LINES-OF-DEFAULTS [WORDS-OF-THE-SERVER [LINES-OF-THE-BACKEND]]]: one frontend, one
# backend, one server.
tcp_proxy() {
	cat <<END
defaults
	mode tcp
	timeout connect 30s
	timeout client ${client_timeout:-2m}
	timeout server ${server_timeout:-2m}
	${1:-}
frontend fe
	bind $front ${bind_words:-}
	default_backend be
backend be
	server s1 $back ${2:-}
	${3:-}
END
}

# http_proxy: the same in mode http.
http_proxy() { tcp_proxy "$@" | sed 's/mode tcp/mode http/'; }

# http_defaults: the section, with time for a slow machine; lines that are added to it may follow.
http_defaults() {
	printf 'defaults\n\tmode http\n\ttimeout connect 30s\n\ttimeout client 2m\n\ttimeout server 2m\n'
}

# nginx_http: the begin of an nginx.conf, up to the words of its section http. All it writes is in
# $dir.
nginx_http() {
	cat <<END
daemon off;
master_process off;
error_log $dir/nginx.err info;
pid $dir/nginx.pid;
events { worker_connections 1000; }
http {
	client_body_temp_path $dir/body;
	proxy_temp_path $dir/proxy;
	fastcgi_temp_path $dir/fastcgi;
	uwsgi_temp_path $dir/uwsgi;
	scgi_temp_path $dir/scgi;
END
}

# config <CONFIGURATION: what start_penstock starts with. Lines before the first section are global.
config() {
	{
		printf 'global\n\tstats socket %s level admin\n' "$stats"
		cat
	} >"$dir/cfg"
}

# http_config [GLOBAL LINE]... <SECTIONS: config, with http_defaults in front of them.
http_config() {
	{
		[ $# -eq 0 ] || printf '\t%s\n' "$@"
		http_defaults
		cat
	} | config
}

# each_way TEST: calls the function TEST with penstock running, once for each way to move bytes;
# with proxy=http_proxy in mode http, with the lines of proxy_lines in "defaults".
each_way() {
	for way in ${WAYS:-splice adaptive copy kernel}; do
		say "## $way"
		case $way in
		splice) ${proxy:-tcp_proxy} "$splice
	${proxy_lines:-}" | config ;;
		kernel)
			{
				printf '\ttune.kernel-relay.after 0\n'
				${proxy:-tcp_proxy} "option kernel-relay
	${proxy_lines:-}"
			} | config
			;;
		*) ${proxy:-tcp_proxy} "${proxy_lines:-}" | config ;;
		esac
		case $way in
		copy) start_penstock -dS ;;
		*) start_penstock ;;
		esac
		"$@"
		stop_penstock
	done
}

# The sanitizers want to be first among the libraries.
asan=$(ldd "$PENSTOCK" 2>/dev/null | sed -n 's/.*=> \(.*libasan[^ ]*\).*/\1/p')
preload() { printf '%s' "${asan:+$asan:}$shim"; }
sanitized() { [ -n "$asan" ]; }

# in_full: what does the same for hundreds of cases does so for each. Beside the sanitizers, where
# every start is dear, it does it for some; for each with IN_FULL=1 (doc/internals/testing.md).
in_full() { [ -n "${IN_FULL:-}" ] || ! sanitized; }

# The references say the same beside any build of ours: tests that judge them alone do so once,
# beside the one without sanitizers.
judges_references() { ! sanitized; }
judges_references || HAPROXY28=

# kernel_proxy: tcp_proxy with option kernel-relay, which tells the bytes of each stream.
kernel_proxy() {
	tcp_proxy "option kernel-relay
	log stdout format raw local0
	log-format \"bytes=%U/%B %ts\""
}

# kernel_or_skip: the kernel, and our rights, are good for option kernel-relay.
kernel_or_skip() {
	! grep -q "the kernel cannot relay here" "$log" || exit 77
}

# start_penstock [ARGUMENTS]
start_penstock() {
	rm -f "$dir/shim.log"
	if [ -n "${SHIM:-}${SHIM_OPTIONS:-}${SHIM_CLOCK:-}" ]; then
		env SHIM="${SHIM:-}" SHIM_LOG="$dir/shim.log" ${shim_while:+SHIM_WHILE="$shim_while"} \
			LD_PRELOAD="$(preload)" \
			${run_as:-} "$PENSTOCK" -db -f "$dir/cfg" "$@" </dev/null >"$log" 2>&1 &
	else
		${run_as:-} "$PENSTOCK" -db -f "$dir/cfg" "$@" </dev/null >"$log" 2>&1 &
	fi
	pid=$!
	if ! until_true 60 "$tool" -s "$stats" ask "show info"; then
		cat "$dir/cfg" "$log"
		fail "penstock does not start"
		finish
	fi
}

# start_workers [ARGUMENTS]: the same with a parent, whose socket is $parent.
start_workers() { start_penstock -W -S "$parent" "$@"; }

# python_with MODULE: sets $python to one that has it; the system's may not be the first.
python_with() {
	for python in python3 /usr/bin/python3; do
		"$python" -c "import $1" 2>/dev/null && return 0
	done
	return 1
}

# driver PROGRAM|- [OPTIONS]: a test in Python, in a file or on the standard input; its Service
# (reg-tests/support/service.py) is what was started here.
driver() {
	"${python:-python3}" "$@" --front "$front" --back "$back" --stats "$stats" \
		--parent "$parent" --pid "${pid:-0}" --dir "$dir"
}

# own_driver: driver with the file that has the script's name, and what was logged where that fails.
own_driver() {
	driver "${0%.sh}.py" || failures=1
	[ "$failures" -eq 0 ] || tail -n 40 "$log"
}

# Ends penstock and looks at its exit code: 0 after TERM (143: the reference), and no report of a
# sanitizer.
stop_penstock() {
	[ -n "$pid" ] || return 0
	kill -TERM "$pid" 2>/dev/null || fail "penstock has ended before its time"
	wait "$pid"
	status=$?
	pid=
	if [ "$status" -ne 0 ] && [ "$status" -ne 143 ] ||
		grep -qE 'AddressSanitizer|LeakSanitizer|:[0-9]+: runtime error:' "$log"; then
		tail -n 40 "$log"
		fail "penstock ended with $status"
	fi
	rm -f "$stats"
}

relaytest() {
	"$tool" -f "$front" -b "$back" -p "$pid" -s "$stats" "$@" || failures=$((failures + 1))
}

# Like relaytest, with nobody behind the backend's address.
relaytest_alone() {
	"$tool" -f "$front" -p "$pid" -s "$stats" "$@" || failures=$((failures + 1))
}

# The same for reg-tests/pcap/wire: what goes over the wire.
wire() {
	"$topbuild/reg-tests/pcap/wire" -f "$front" -b "$back" -p "$pid" -s "$stats" "$@"
	case $? in
	0) ;;
	77) exit 77 ;;
	*) failures=$((failures + 1)) ;;
	esac
}

# own_network "$@": goes on in a network namespace of the script's own, where that can be had.
own_network() {
	[ -z "${OWN_NETWORK:-}" ] || return 0
	unshare -n true 2>/dev/null || return 0
	cleanup
	OWN_NETWORK=1 exec unshare -n sh -c 'ip link set lo up; exec sh "$@"' sh "$0" "$@"
}

ask() { "$tool" -s "$stats" ask "$1"; }

# answers WHO FILE: asks each line of the file, "command|answer", and compares; answers are one
# line.
answers() {
	while IFS='|' read -r command answer; do
		said=$(ask "$command" | tr -d '\n')
		if [ "$said" = "$answer" ]; then
			pass "$1: $command"
		else
			fail "$1: $command: '$said' instead of '$answer'"
		fi
	done <"$2"
}

# answers_beside FILE: the reference is asked first, where it is installed (REFERENCE=PROGRAM:
# another one); then penstock, which goes on.
answers_beside() {
	: "${REFERENCE:=haproxy}"
	if "$REFERENCE" -v 2>/dev/null | grep -q 'version 2\.[68]' && ! sanitized; then
		ours=$PENSTOCK
		PENSTOCK=$REFERENCE
		start_penstock
		answers "the reference" "$1"
		stop_penstock
		PENSTOCK=$ours
	fi
	start_penstock
	answers "ours" "$1"
}

# info FIELD: its value in show info.
info() { ask "show info" | sed -n "s/^$1: *//p"; }

# acted RULE: the shim has used this rule.
acted() { check "the shim acted: $1" grep -qxF "$1" "$dir/shim.log"; }

# at_least FIELD N, exactly FIELD N
at_least() {
	value=$(info "$1")
	check "$1 is $value, at least $2" test "${value:--1}" -ge "$2"
}
exactly() {
	value=$(info "$1")
	check "$1 is $value, wanted $2" test "$value" = "$2"
}

# The last line of a test.
finish() {
	stop_penstock
	[ "$failures" -eq 0 ]
	exit
}
