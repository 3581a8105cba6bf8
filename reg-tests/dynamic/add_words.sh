#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# "add server" takes each word that may stand on a server line: it works as it would in the file, or
# it is refused with a sentence. add_words.txt has the words, what is answered, and what shows then;
# HAProxy 2.6 (REFERENCE) and 2.8 (HAPROXY28) are asked beside where they are installed.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"

authority ca
signed leaf ca host.example
signed client ca client.example
by ca -gencrl -out "$certs/crl.pem"
files="ca-file $certs/ca.pem crl-file $certs/crl.pem crt $certs/client.pem"
{
	http_defaults | sed "s,server 2m,server 5s,"
	cat <<-END
	frontend fe
		bind $front
		default_backend b
	backend b
		option httpchk GET /check
		http-reuse never
		retries 0
		server other 127.0.0.1:1 check disabled
		server tls 127.0.0.1:1 disabled ssl verify required $files
	END
} | config

table=${TABLE:-${0%/*}/add_words.txt}

# Every word that our files know has its row.
sed 's/#.*//; s/|.*//' "$table" | tr ' (' '\n\n' | sort -u >"$dir/rows"
"$PENSTOCK" -dKcfg -c -f "$dir/cfg" 2>/dev/null |
	sed -n 's/^\tserver <name> <address> \([a-z][a-z0-9-]*\).*/\1/p' | sort -u >"$dir/words"
lacking=$(comm -23 "$dir/words" "$dir/rows" | tr '\n' ' ')
check "$(grep -c . "$dir/words") words of a server line have a row; not: ${lacking:-none}" test -z "$lacking"
check "they were told" test -s "$dir/words"

# judge WHO PROGRAM
judge() {
	PENSTOCK=$2
	start_penstock
	driver "${0%/*}/add_words.py" --who "$1" --certs "$certs" --table "$table" ||
		failures=$((failures + 1))
	stop_penstock
}

ours=$PENSTOCK
: "${REFERENCE:=haproxy}" "${HAPROXY28:=haproxy-2.8}"
if ! sanitized; then
	"$REFERENCE" -v 2>/dev/null | grep -q 'version 2\.6' && judge 0 "$REFERENCE"
	"$HAPROXY28" -v 2>/dev/null | grep -q 'version 2\.8' && judge 1 "$HAPROXY28"
fi
judge 2 "$ours"
[ "$failures" -eq 0 ] || tail -n 20 "$log"
finish
