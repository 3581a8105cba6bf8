#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The command line: questions are answered, what is missing is refused by name, -c obeys its
# options.
. "${0%/*}/../lib.sh"

export PENSTOCK_SET="a b"
unset PENSTOCK_NOPE
run() {
	"$PENSTOCK" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	code=$?
}
# wanted CODE SENTENCE: of the last run
wanted() { check "$2: $code" test "$code" -eq "$1"; }
out() { grep -qF -e "$1" "$dir/out"; }
err() { grep -qF -e "$1" "$dir/err"; }
silent() { test ! -s "$dir/out" && test ! -s "$dir/err"; }

run -v
wanted 0 "-v"
check "-v: the version in one line" sh -c 'test "$(wc -l <"$1")" -eq 1 && grep -q "^Penstock version [0-9]" "$1"' sh "$dir/out"
check "-v: and the one for tools" grep -qE "HAProxy version [0-9]+\.[0-9]+\.[0-9]+-penstock" "$dir/out"
run -vv
wanted 0 "-vv"
check "-vv: language level" out "HAProxy language level 2.6"
check "-vv: features" out " +LINUX_SPLICE "
check "-vv: what is not there" out " -QUIC "
check "-vv: libraries" out "PCRE2"
check "-vv: TLS, or that there is none" grep -qE "^(Running on OpenSSL version : OpenSSL 3|Built without OpenSSL)" "$dir/out"
run --help
wanted 0 "--help"
check "--help names the options" out "  -f <file|folder>"
run
wanted 1 "no argument"
check "shows the options" err "  -f <file|folder>"

run -cc 'streq(a,a) && !defined(PENSTOCK_NOPE)'
wanted 0 "-cc true"
check "-cc says nothing" silent
run -cc 'streq(a,b)'
wanted 1 "-cc false"
run -cc 'streq("$PENSTOCK_SET",a b) && !streq("${PENSTOCK_NOPE}",1)'
wanted 0 "-cc replaces variables"
run -cc 'enabled(SPLICE) && enabled(GETADDRINFO) && enabled(REUSEPORT) && !enabled(SERVER-SSL-VERIFY-NONE)'
wanted 0 "-cc: what is enabled"
run -cc 'fips_mode()'
wanted 1 "-cc: the library is not in the mode of FIPS"
run -cc '!fips_mode()'
wanted 0 "-cc: so it is not"
for text in 'fips_mode' 'fips_mode(1)'; do
	run -cc "$text"
	wanted 2 "-cc $text"
	check "-cc $text: says why" err "fips_mode() takes no argument at character 1: '$text'"
done
for option in -dS:SPLICE -dG:GETADDRINFO; do
	run "${option%:*}" -cc "enabled(${option#*:})"
	wanted 1 "-cc: ${option%:*} disables it"
done
printf 'global\n\tnosplice\n.if enabled(SPLICE)\n\t.alert no\n.endif\n\tnoreuseport\n.if enabled(REUSEPORT)\n\t.alert no\n.endif\n' >"$dir/cfg"
run -c -f "$dir/cfg"
wanted 2 "a condition sees what the lines above have disabled"
printf '.if enabled(SPLICE)\n\t.alert no\n.endif\n' >"$dir/cfg"
run -dS -c -f "$dir/cfg"
wanted 2 "a condition sees what the command line has disabled"
run -cc 'bogus'
wanted 2 "-cc of no condition"
check "-cc says why" err "unknown predicate"

for option in -de -dk; do
	run "$option" -c -f /dev/null
	wanted 1 "$option"
	check "$option is named" err "option $option is not supported yet"
done
run -Z
wanted 1 "unknown option"
check "it is named" err "unknown option '-Z'; penstock --help lists the options"
run hlep
wanted 1 "an unknown word"
check "the nearest one" err "unknown argument 'hlep'; did you mean 'help'? penstock --help"
run --verison
check "of options, too" err "did you mean '--version'?"
run site.cfg
check "a file without -f" err "-f stands in front of a file: 'penstock -f site.cfg'"
run -t
check "what other programs have" err "'penstock -c -f <file>' checks a configuration"
run start
check "a word for serving" err "'penstock -f <file>' serves by a configuration"
run ""
check "a word that is empty" err "unknown argument ''"
run help no-such-word
wanted 1 "help of what there is not"
check "where to read on" err "More: doc/configuration.md"
run -n 5x
wanted 1 "a wrong number"

run help timeout client
wanted 0 "help WORD"
check "syntax" out "timeout client <time"
check "where" out "in:      defaults, frontend, listen and udp-lb"
# Without the word in front of it: a criterion of ACLs, an option, a word of server and bind lines.
run help path_beg
check "help of an ACL criterion" out "path -m beg"
run help METH_GET
check "help of a predefined ACL" out "method GET HEAD"
run help add server
check "help of a command of the stats socket" out "add server <bk>/<srv>"
check "with its level" out "(admin)"
run help set server b/s addr
check "help of a command with arguments" out "set server <bk>/<srv>"
run help show nothing-of-it
wanted 1 "help of no command"
run help colocate
check "help of colocate" out "penstock colocate enable"
run help httpchk
check "help of an option by its name alone" out "option httpchk"
run help server check
check "help of a word of server lines" out "in:      server lines"
run help http-request set-header
wanted 0 "help of a word and its first argument"
check "the row of the word" out "http-request <action>"
run help set-header
wanted 0 "help of an action"
check "it says which lists have it" out "in:      http-request, http-response, http-after-response"
run help tcp-request content reject
wanted 0 "help of an action in its list"
check "it explains the action, too" out "ends the list and the connection"
run help http-response
wanted 0 "help of a list"
check "it names the actions" out "allow, deny, return, redirect"
run help http-request dney
wanted 0 "help of no action"
check "it names those there are" out "allow, deny, tarpit"
run help clitimeout
wanted 1 "help of an old word"
check "what replaced it" err "use 'timeout client'"
run help maxcon
wanted 1 "help of a typo"
check "the nearest" err "did you mean 'maxconn'?"
run help option nope
wanted 1 "help of what cannot follow"
check "it is named" err "'nope' cannot follow 'option'"
check "and what can" err " tcplog"
run help option htplog
wanted 1 "help of a typo in the second word"
check "the nearest" err "did you mean: option httplog"
run help no option httpstuff
wanted 1 "help of a line with 'no' in front"
check "it is not taken for the word" err "'httpstuff' cannot follow 'option'"
run help global maxconn
wanted 0 "help of a word behind its section"
check "the row" out "maxconn <conns>"
run help req.hrd
wanted 1 "help of a typo in a fetch"
check "the nearest" err "did you mean the fetch 'req.hdr'?"
run help sH--
wanted 0 "help of a termination code"
check "why" out "the server neither sent nor took anything for too long"
check "and when" out "the server had not answered with complete headers yet"
run help CD
wanted 0 "help of one of mode tcp"
check "why" out "the client broke off"
run help xH
wanted 1 "help of no such code"
run help %TR
wanted 0 "help of an alias of log formats"
check "what it is" out "ms to receive the request"
run help leastconn
wanted 0 "help of an algorithm"
check "what it does" out "the fewest sessions for its weight"
check "where to read on" out "More: doc/configuration.md"
# Each letter that a log line may have stands in the manual's table.
for letter in C c S s P L R I D U K; do
	grep -q "^| 1 | \`$letter\` " "$srcdir/doc/management.md" || fail "the manual lacks '$letter'"
done
for letter in R Q C H D L T; do
	grep -q "^| 2 | \`$letter\` " "$srcdir/doc/management.md" || fail "the manual lacks '$letter'"
done
run -dKhelp
wanted 0 "-dKhelp"
check "classes" out "cfg: "
run -dKbogus -q -c -f /dev/null
check "an unknown class is named" err "'bogus'"

tcp_proxy >"$dir/cfg"
run -c -f "$dir/cfg"
wanted 0 "-c"
check "-c says that it is valid" out "Configuration file is valid"
run -c -V -f "$dir/cfg"
check "-c -V, too" out "Configuration file is valid"
run -q -c -f "$dir/cfg"
wanted 0 "-q -c"
check "-q -c says nothing" silent
run -dKcfg -q -c -f "$dir/cfg"
check "-dKcfg: words of each section" sh -c 'grep -q "^global$" "$1" && grep -q "^	maxconn <" "$1" && grep -q "^	bind <address> name <name>$" "$1"' sh "$dir/out"
run -dL -q -c -f "$dir/cfg"
check "-dL: libraries" out "libpcre2-8"

printf '.warning w\n.diag d\n.notice n\n' | cat - "$dir/cfg" >"$dir/warning"
run -c -f "$dir/warning"
wanted 0 "warnings are allowed"
check "and shown" err "warning: w"
check "notices, too" err "notice: n"
check ".diag is not" sh -c '! grep -q "note: d" "$1"' sh "$dir/err"
run -c -dD -f "$dir/warning"
wanted 0 "-dD"
check "-dD shows .diag" err "note: d"
run -c -dW -f "$dir/warning"
wanted 1 "-dW"
check "-dW says why" err "-dW"
check "-dW is not valid" sh -c '! grep -q valid "$1"' sh "$dir/out"
printf 'global\n\tzero-warning\n' | cat - "$dir/warning" >"$dir/zero"
run -c -f "$dir/zero"
wanted 1 "zero-warning"
run -q -c -f "$dir/warning"
check "-q: no warnings" silent
printf 'global\n\tbogus\n' >"$dir/wrong"
run -q -c -f "$dir/wrong"
wanted 1 "-q of a wrong file"
check "-q: errors are shown" err "unknown word 'bogus'"
run -db -f "$dir/wrong"
wanted 1 "a wrong file is not started"
run -c -n 12 -f "$dir/cfg"
wanted 0 "-n"
[ "$failures" -eq 0 ] || tail -n 20 "$dir/out" "$dir/err"

# ---- too few descriptors for several workers --------------------------------------------------
{ printf '\tnbproc 2\n'; tcp_proxy; } | config
few() { (ulimit -n 60 && "$PENSTOCK" -c -f "$dir/cfg") >"$dir/few" 2>&1; }
few
status=$?
check "too few descriptors are an error (status $status)" test "$status" -eq 1
check "and that is said: $(cat "$dir/few")" grep -q "eventfds for the workers" "$dir/few"
finish
