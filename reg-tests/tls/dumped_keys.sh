#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Private keys are in no core dump: what the kernel would write of a worker, and of its parent, has
# no part of a key in it, whether it was read from a file or set at run time, used in handshakes or
# not.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

if sanitized; then
	say "a sanitizer looks after memory in this build"
	exit 77
fi
authority ca
signed ec ca ec.example
signed rsa ca rsa.example rsa
signed beside ca beside.example
signed later ca later.example
signed later-rsa ca later-rsa.example rsa
openssl pkcs8 -topk8 -nocrypt -in "$certs/later.key" -out "$certs/later8.key"
cat "$certs/later.crt" "$certs/later8.key" >"$certs/later.pem"
cp "$certs/beside.crt" "$certs/split.pem"
cp "$certs/beside.key" "$certs/split.pem.key"
cp "$certs/ec.pem" "$certs/changed.pem"
cp "$certs/ec.pem" "$certs/changed-rsa.pem"

# What holds the openssl program's text of a key: numbers by name.
numbers() { openssl pkey -in "$certs/$1.key" -noout -text; }
for name in ec rsa beside later later-rsa; do
	numbers "$name" >"$certs/$name.numbers"
done
config <<END
	nbproc 2
	set-dumpable
$(http_defaults)
frontend fe
	bind $front ssl crt $certs/ec.pem crt $certs/rsa.pem crt $certs/split.pem crt $certs/changed.pem crt $certs/changed-rsa.pem
	http-request return status 200 content-type text/plain lf-string %pid
END
start_workers
driver "${0%/*}/dumped_keys.py" --certs "$certs"
case $? in
0) ;;
77) exit 77 ;;
*) failures=1 ;;
esac
finish
