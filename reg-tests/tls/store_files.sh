#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where certificates come from: crt-base, key-base, crt-store, what lies beside a file, bundles,
# chains of other files; and which sentence says what is wrong with them.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca site.example
signed split ca split.example
signed rsa ca both.example rsa
signed ec ca both.example
rm "$certs/split.pem"
mkdir "$certs/keys" "$certs/chains" "$certs/short"
cp "$certs/ca.pem" "$certs/chains/ca.pem"
cp "$certs/split.crt" "$certs/beside.pem"
cp "$certs/split.key" "$certs/beside.pem.key"
cp "$certs/rsa.pem" "$certs/both.rsa"
cp "$certs/ec.pem" "$certs/both.ecdsa"
cp "$certs/split.crt" "$certs/split.key" "$certs/short"
mv "$certs/split.key" "$certs/keys"

# words GLOBAL-LINES CRT [SECTION]: a configuration whose bind line has this certificate.
words() {
	printf '%b\n%b\ndefaults\n\tmode http\n\ttimeout connect 9s\n\ttimeout client 9s\n\ttimeout server 9s\nfrontend f\n\tbind %s ssl crt %s\n\thttp-request return status 200\n' \
		"$1" "${3:-}" "$front" "$2"
}
# shows SENTENCE NAME: starts with the configuration of stdin, and counts the certificates that
# it sends; the certificate for site NAME is NAME.
shows() {
	config
	start_penstock
	subject=$(served "$2.example")
	check "$1: $subject" test "$subject" = "$2"
	hello "$2.example" -showcerts | grep -c 'BEGIN CERT' >"$dir/count"
	"$tool" -s "$stats" ask "show ssl cert $certs/$2.pem" >"$dir/shown"
	stop_penstock
}
# says SENTENCE WORDS: the configuration of stdin is refused in these words.
says() {
	{
		echo global
		cat
	} >"$dir/cfg"
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
	check "$1 is refused" test $? -eq 1
	grep -qF -e "$2" "$log" || {
		cat "$log"
		fail "$1: the words are others than \"$2\""
	}
}

words "crt-base $certs/" site.pem | shows "crt-base" site
check "no chain" test "$(cat "$dir/count")" -eq 1
words "issuers-chain-path $certs/chains" "$certs/site.pem" | shows "issuers-chain-path" site
check "its chain was sent" test "$(cat "$dir/count")" -eq 2
check "and is shown with its file" grep -q "^Chain Filename: $certs/chains/" "$dir/shown"
words "" "$certs/beside.pem" | shows "a key beside" split
words "ssl-load-extra-del-ext" "$certs/short/split.crt" | shows "a key beside, without .crt" split
words "crt-base $certs\nkey-base $certs/keys" @/one "crt-store\nload crt split.crt key split.key alias one" |
	shows "crt-store with an alias" split
words "crt-base /nowhere" @web/split.crt \
	"crt-store web\ncrt-base $certs\nkey-base $certs/keys\nload crt split.crt key split.key" |
	shows "crt-store with bases of its own" split
words "ssl-load-extra-files bundle key" "$certs/both" | config
start_penstock
subject=$(served both.example -tls1_2 -cipher aRSA)
check "a bundle, RSA: $subject" test "$subject" = rsa
subject=$(served both.example -tls1_2 -cipher aECDSA)
check "a bundle, ECDSA: $subject" test "$subject" = ec
stop_penstock

# warns SENTENCE TIMES WORDS: the configuration of stdin is good, and says this so often.
warns() {
	{
		echo global
		cat
	} >"$dir/cfg"
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
	check "$1: good" test $? -eq 0
	times=$(grep -cF -e "warning: $3" "$log")
	check "$1: said $times times" test "$times" -eq "$2"
}
authority stranger
chained() { # FILE CHAIN...: site with this chain
	file=$1
	shift
	(cd "$certs" && cat site.pem "$@" >"$file")
}
chained own.pem ca.pem
chained foreign.pem stranger.pem
chained turned.pem stranger.pem ca.pem
words "" "$certs/own.pem" | warns "its own chain" 0 ""
words "" "$certs/foreign.pem crt $certs/foreign.pem" |
	warns "a chain of another" 1 "'$certs/foreign.pem': the chain is not that of this certificate"
words "" "$certs/turned.pem" | warns "a chain in no order" 1 "'$certs/turned.pem': the chain is not in order"
{
	words "" "$certs/own.pem"
	printf 'backend b\n\tserver s %s ssl verify none crt %s\n' "$back" "$certs/foreign.pem"
} | warns "a server's" 1 "server 's': '$certs/foreign.pem': the chain is not that of this certificate"

# Signed certificate timestamps, for who asks for them: the bytes of the file.
echo enabled_logs= >"$certs/logs"
stamps() { # SENTENCE COUNT NAME OPTIONS
	sentence=$1 wanted=$2
	shift 2
	hello "$@" -msg | tr -d '\n ' >"$dir/said"
	check "$sentence" test "$(grep -c 0006000453435473 "$dir/said")" -eq "$wanted"
}
printf '\0\6\0\4SCTs' >"$certs/beside.pem.sctl"
words "" "$certs/beside.pem crt $certs/site.pem" | config
start_penstock
for version in -tls1_2 -tls1_3; do
	stamps "timestamps, $version" 1 split.example $version -ct -ctlogfile "$certs/logs"
	stamps "not asked for, $version" 0 split.example $version
	stamps "another certificate, $version" 0 site.example $version -ct -ctlogfile "$certs/logs"
done
stop_penstock
printf timestamps >"$certs/beside.pem.sctl"
words "" "$certs/beside.pem" | says "timestamps that are none" "beside.pem.sctl': no list of signed"
rm "$certs/beside.pem.sctl"

# What of a file's chain is sent: as it stands there; or what leads upwards, without what is signed
# by itself.
authority root
authority other
below() { # NAME AUTHORITY: an authority that another one has signed
	signed "$1" "$2" "$1"
	printf 'basicConstraints=critical,CA:TRUE\n' >"$certs/ext"
	openssl req -new -key "$certs/$1.key" -subj "/CN=$1" -out "$certs/csr"
	openssl x509 -req -in "$certs/csr" -CA "$certs/$2.pem" -CAkey "$certs/$2.key" -days 30 -set_serial "0x$(openssl rand -hex 8)" \
		-extfile "$certs/ext" -out "$certs/$1.pem" 2>/dev/null
}
below middle root
below lower middle
signed far lower far.example
signed near root near.example
chain() { # NAME MORE...: NAME.pem and these behind it
	file=$certs/$1.chain
	cat "$certs/$1.pem" >"$file"
	shift
	for part; do cat "$certs/$part.pem" >>"$file"; done
}
sends() { # SENTENCE NAME WANTED: subjects of what is sent
	sent=$(hello "$2.example" -showcerts | sed -n 's/^ *[0-9]* s:CN = //p' | tr '\n' ' ')
	check "$1: $sent" test "$sent" = "$3 "
}
chain far middle lower other root
chain near root
for word in "" "ssl-skip-self-issued-ca"; do
	words "$word" "$certs/far.chain crt $certs/near.chain crt $certs/site.pem" | config
	start_penstock
	if [ -z "$word" ]; then
		sends "a chain as it stands" far "far middle lower other root"
		sends "an authority" near "near root"
	else
		sends "what leads upwards" far "far lower middle"
		sends "without the authority" near "near"
	fi
	sends "no chain" site "site"
	stop_penstock
done

words "ssl-load-extra-files none" "$certs/both" | says "a bundle without that" "cannot open '$certs/both': No such"
words "ssl-load-extra-files bundle" "$certs/beside.pem" | says "no key" "'$certs/beside.pem': no private key in it"
words "ssl-load-extra-files some" "$certs/site.pem" | says "some files" "kind of file"
words "ssl-load-extra-files all key" "$certs/site.pem" | says "all and more" "'all' stands alone"
words "issuers-chain-path $certs/none" "$certs/site.pem" | says "a folder that is not there" "$certs/none"
words "" @web/none | says "a name that nothing has" "no crt-store has loaded '@web/none'"
words "" @web/site "crt-store web\nload crt $certs/none.pem alias site" | says "a file that is not there" "none.pem': No such"
words "" @web/site "crt-store web\nload crt $certs/site.pem alias site\nload crt $certs/ec.pem alias site" |
	says "an alias twice" "'@web/site' has been loaded already"
words "" @web/site "crt-store web\nload crt $certs/site.pem key $certs/ec.key alias site" |
	says "another's key" "does not belong to the certificate"
words "" @web/site "crt-store web\nload crt $certs/site.pem name site" | says "a misspelt word" "word of a load line"
words "" @web/site "crt-store a/b\nload crt $certs/site.pem" | says "a slash in a name" "has no '/'"
openssl pkey -in "$certs/site.key" -aes128 -passout pass:x -out "$certs/locked.key"
cat "$certs/site.crt" "$certs/locked.key" >"$certs/locked.pem"
words "" "$certs/locked.pem" | says "an encrypted key" "'$certs/locked.pem': the private key is encrypted"
# Anything may have the header of RFC 1421 that says so; nobody is asked for a passphrase.
locked() { # BEGIN-WORDS FILE: the first block of this kind gets the header
	sed "0,/^-----BEGIN $1-----/s//&\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n/" "$2"
}
openssl dhparam -dsaparam 512 2>/dev/null | sed 's/X9.42 //' >"$certs/dh.raw"
locked CERTIFICATE "$certs/site.pem" >"$certs/locked_leaf.pem"
{ cat "$certs/site.pem"; cat "$certs/locked_leaf.pem"; } >"$certs/locked_chain.pem"
{ cat "$certs/site.pem"; locked "DH PARAMETERS" "$certs/dh.raw"; } >"$certs/locked_dh.pem"
sed 's/ CERTIFICATE/ X509 CRL/' "$certs/locked_leaf.pem" >"$certs/locked_crl.pem"
sed 's/ CERTIFICATE/ TRUSTED CERTIFICATE/' "$certs/locked_leaf.pem" >"$certs/locked_trusted.pem"
for part in leaf chain trusted; do
	words "" "$certs/locked_$part.pem" | says "an encrypted certificate ($part)" \
		"'$certs/locked_$part.pem': the certificate is encrypted: nobody could be asked"
done
words "" "$certs/locked_dh.pem" | says "encrypted parameters" "': the block of DH parameters is encrypted"
words "" "$certs/site.pem ca-file $certs/locked_leaf.pem" | says "an encrypted authority" "': the certificate is encrypted"
words "" "$certs/site.pem ca-file $certs/site.pem crl-file $certs/locked_crl.pem" |
	says "an encrypted list" "': the list of revocations is encrypted"
for part in locked locked_leaf; do
	words "" "$certs/site.pem generate-certificates ca-sign-file $certs/$part.pem" |
		says "an encrypted signer ($part)" ": it is encrypted"
done
words "ssl-dh-param-file $certs/locked_dh.raw" "$certs/site.pem" >"$dir/words"
locked "DH PARAMETERS" "$certs/dh.raw" >"$certs/locked_dh.raw"
says "an encrypted file of parameters" "holds no Diffie-Hellman parameters: it is encrypted" <"$dir/words"
head -c 300 "$certs/site.pem" >"$certs/cut.pem"
words "" "$certs/cut.pem" | says "a file that was cut" "'$certs/cut.pem': "
finish
