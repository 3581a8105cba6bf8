#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# CertCache.set puts certificates in force in all workers, all parts or none, and leaves a
# transaction of the stats socket alone.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
. "${0%/*}/../tls/certs.sh"

authority ca
for name in first begin second third fourth other; do
	signed "$name" ca www.example.com
done
cp "$certs/first.pem" "$certs/used.pem"
cp "${0%/*}/cert_cache.lua" "$dir/script.lua"
{
	cat <<-END
		nbproc 2
		log stderr format raw local0
		lua-load $dir/script.lua $certs $certs/used.pem
	END
	http_defaults
	cat <<-END
	frontend fe
		bind $front ssl crt $certs/used.pem
		http-request return status 200
	END
} | config
start_workers

# All of twenty connections show this certificate: both workers have it.
shows() { # NAME
	for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ "$(served www.example.com)" = "$1" ] || return 1
	done
}
said() { ask "cert $1" | head -n 1; }
says() { # WORDS TEXT...
	words=$1
	shift
	check "$words: $*" sh -c 'case $1 in *"$2"*) ;; *) echo "$1"; exit 1 ;; esac' - "$(said "$words")" "$*"
}

check "while files are read there is none" grep -q "while files are read: Can't replace a certificate" "$log"
check "register_init: the one of the line is replaced" shows begin
says apart set
check "certificate and key by themselves, in all workers" shows second
says both set
check "both in one" shows third

says mismatch "the private key does not belong to the certificate"
says nokey "must contain at least a certificate and a private key"
says broken "no certificate in it"
says unknown "Can't replace a certificate which is not referenced by the configuration!"
says noname "No filename specified!"
says number "crt is no string"
says zero "there is a zero byte in crt"
says ocsp "base64"
says notable "needs a table as argument"
says nothing "set"
check "what was wrong has changed nothing" shows third

payload=$(cat "$certs/fourth.pem")
check "a transaction of the stats socket" grep -q "Transaction created" <<END
$(ask "set ssl cert $certs/used.pem <<
$payload

")
END
says apart set
check "goes on" grep -q "Success" <<END
$(ask "commit ssl cert $certs/used.pem")
END
check "and is put in force when it is committed" shows fourth
finish
