#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# OCSP responses from a file and from the stats socket are stapled by all workers; a revoked
# certificate's is not; a certificate that must be stapled and has none is warned of. What was set
# at run time outlives a reload, but for a file with a response that is good for longer.
. "${0%/*}/../lib.sh"
. "${0%/*}/ocsp_lib.sh"

echo "tlsfeature=status_request" >"$dir/must"
: >"$dir/plain"
certificate() { # NAME SERIAL EXTENSIONS V|R: with a response of the authority in $dir/NAME.der
	issued "$1" "$2" "$dir/$3"
	rm "$dir/$1.key"
	revoked=
	[ "$4" = R ] && revoked=$(date -u +%y%m%d%H%M%SZ)
	printf '%s\t%s\t%s\t%s\tunknown\t/CN=%s\n' "$4" "$later" "$revoked" "$2" "$1" >"$dir/$1.index"
	answer "$1" 1
}
answer() { # NAME DAYS: it is good for so long
	openssl ocsp -issuer "$dir/ca.pem" -cert "$dir/$1.crt" -reqout "$dir/asked" >/dev/null 2>&1
	openssl ocsp -index "$dir/$1.index" -CA "$dir/ca.pem" -rsigner "$dir/ca.pem" \
		-rkey "$dir/ca.key" -reqin "$dir/asked" -ndays "$2" -respout "$dir/$1.der" >/dev/null 2>&1
}
certificate file 1001 plain V
certificate command 1002 must V
certificate revoked 1003 plain R
cp "$dir/file.der" "$dir/file.pem.ocsp"
: >"$dir/revoked.pem.ocsp"
file=127.0.0.1:$(ports 1)
command=127.0.0.1:$(ports 1)
revoked=127.0.0.1:$(ports 1)
config <<END
	nbproc 2
frontend fe
	mode http
	timeout client 2m
	bind $file ssl crt $dir/file.pem
	bind $command ssl crt $dir/command.pem
	bind $revoked ssl crt $dir/revoked.pem
	http-request return status 200 content-type text/plain lf-string "worker %[proc]\n"
END
start_workers
check "it warns of the one that must be stapled" grep -q "command.pem' promises an OCSP response" "$log"

set_response() { ask "set ssl ocsp-response $(openssl base64 -A -in "$1")"; }
says() { printf '%s\n' "$2" | grep -q "$1"; }

check "that of the file" both "$file" "Cert Status: good"
check "there is none" both "$command" "no response sent"
check "one is set" says "updated" "$(set_response "$dir/command.der")"
check "by all" until_true 20 both "$command" "Cert Status: good"
check "that of a revoked certificate is refused" says "is revoked, not good" \
	"$(set_response "$dir/revoked.der")"
check "and not sent" both "$revoked" "no response sent"
check "nonsense is refused" says "Unable to parse" "$(ask "set ssl ocsp-response YWJj")"
check "they are listed" test "$(ask "show ssl ocsp-response" | grep -c 'Serial Number: 100')" -ge 2
id=$(ask "show ssl ocsp-response" | sed -n 's/.*ID key : \(.*1001\)$/\1/p')
check "by number" says "Cert Status: good" "$(ask "show ssl ocsp-response $id")"
check "by file" says "Cert Status: good" "$(ask "show ssl ocsp-response $dir/command.pem")"
check "with its certificate" says "Cert Status: good" "$(ask "show ssl cert $dir/command.pem.ocsp")"
check "its number" says "OCSP Response Key: ${id%1001}1002" "$(ask "show ssl cert $dir/command.pem")"

reload() { "$tool" -s "$parent" ask reload | grep -q Success=1; }
good_until() { sed -n 's/^ *Next Update: *//p'; }
# shown NAME: what is sent with it is good as long as the one in NAME.der.
shown() {
	wanted=$(openssl ocsp -respin "$dir/$1.der" -noverify -text 2>/dev/null | good_until)
	test -n "$wanted" && test "$(ask "show ssl ocsp-response $dir/$1.pem" | good_until)" = "$wanted"
}
answer file 5
check "one for the one with a file" says "updated" "$(set_response "$dir/file.der")"
check "is that of the command" until_true 60 shown file
check "reloaded" reload
check "what was set is still sent" until_true 60 both "$command" "Cert Status: good"
check "before that of the file" until_true 60 shown file
check "the revoked one is still not" until_true 60 both "$revoked" "no response sent"
answer file 10
cp "$dir/file.der" "$dir/file.pem.ocsp"
check "reloaded with a file that is good for longer" reload
check "the file wins" until_true 60 shown file
check "and what was set stays" until_true 60 both "$command" "Cert Status: good"
finish
