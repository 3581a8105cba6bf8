#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A certificate that has expired, or is not valid yet, is said by -c and at the start, with its
# place; and on the stats socket. It is used all the same.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
dated() { # NAME FROM UNTIL [ISSUER]: a certificate that is valid then
	key "$certs/$1.key"
	openssl req -new -key "$certs/$1.key" -subj "/CN=$1" -out "$certs/csr"
	by "${4:-ca}" -in "$certs/csr" -startdate "$2" -enddate "$3" -out "$certs/$1.crt" -notext
	cat "$certs/$1.crt" "$certs/$1.key" >"$certs/$1.pem"
}
dated old 20200101000000Z 20200201000000Z
dated early 21200101000000Z 21210101000000Z
dated good 20200101000000Z 21210101000000Z
dated below 20200101000000Z 21210101000000Z old
cat "$certs/old.crt" >>"$certs/below.pem"
printf '%s\n%s old.example\n' "$certs/good.pem" "$certs/old.pem" >"$certs/list"
old="the certificate has expired on 2020-02-01 00:00:00 UTC, [0-9]* days ago: clients refuse it"

words() { # CRT: a configuration whose bind line has this
	config <<-END
	defaults d
		mode http
		timeout connect 1m
		timeout client 1m
		timeout server 1m
	frontend f
		bind $front ssl $1
		http-request return status 200
	END
}
says() { # SENTENCE TIMES PATTERN: -c, which accepts it, says this so often
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
	check "$1: accepted" test $? -eq 0
	times=$(grep -c "$3" "$log")
	check "$1: said $times times" test "$times" -eq "$2" || cat "$log"
}

words "crt $certs/good.pem"
says "a valid one" 0 "clients refuse it"
words "crt $certs/old.pem crt $certs/old.pem"
says "an old one" 1 "cfg:[0-9]*: notice: '$certs/old.pem': $old\$"
words "crt $certs/early.pem"
says "one of the future" 1 "the certificate is not valid before 2120-01-01 00:00:00 UTC, in [0-9]* days: until then"
words "crt $certs/below.pem"
says "one below an old one" 1 "certificate 1 of its chain has expired on 2020-02-01"
words "crt-list $certs/list"
says "a line of a list" 1 "list:2: notice: '$certs/old.pem': $old\$"
printf 'backend b\n\tserver s %s ssl verify none crt %s\n' "$back" "$certs/old.pem" >>"$dir/cfg"
says "that of a server, too" 1 "$old\$"
words "crt $certs/good.pem"
printf 'backend b\n\tserver s %s ssl verify none crt %s\n' "$back" "$certs/old.pem" >>"$dir/cfg"
says "that of a server" 1 "notice: server 's': '$certs/old.pem': $old\$"
words "crt $certs/old.pem"
sed -i '/^global/a\	zero-warning' "$dir/cfg"
says "beside zero-warning" 1 "$old\$"

words "crt $certs/old.pem crt $certs/good.pem"
start_penstock
check "said at the start" grep -q "$old\$" "$log"
check "served all the same" test "$(served old)" = old
ask() { "$tool" -s "$stats" ask "$1"; }
check "shown" sh -c 'printf "%s\n" "$1" | grep -q "^Warning: $2"' sh "$(ask "show ssl cert $certs/old.pem")" "$old\$"
check "nothing of a valid one" sh -c '! printf "%s\n" "$1" | grep Warning' sh "$(ask "show ssl cert $certs/good.pem")"
ask "set ssl cert $certs/good.pem <<
$(cat "$certs/old.pem")
" >/dev/null
check "committed with a warning" sh -c 'printf "%s\n" "$1" | grep -q "^Warning: $2"' sh "$(ask "commit ssl cert $certs/good.pem")" "$old.\$"
finish
