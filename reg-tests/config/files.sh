#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Which files are read and in which order: -f several times, folders, --, -C; each file begins with
# a section; the last line needs no line feed.
. "${0%/*}/../lib.sh"

valid() { "$PENSTOCK" -c "$@" >"$log" 2>&1; }
says() { grep -qF "$1" "$log"; }
# The notices in the order in which they came.
order() { sed -n 's/.*: notice: //p' "$log" | tr '\n' ' '; }

mkdir "$dir/d" "$dir/d/sub.cfg" "$dir/empty"
note() { printf '.notice %s\n' "$1" >"$dir/d/$2"; }
note ten 10-b.cfg
note nine 9.cfg
note upper Z.cfg
note lower a.cfg
note hidden .hidden.cfg
note other other.conf
note backup a.cfg~
note short .cfg
tcp_proxy >"$dir/proxy.cfg"

check "a folder" valid -f "$dir/d" -f "$dir/proxy.cfg"
check "in the order of their bytes: $(order)" test "$(order)" = "ten nine upper lower "
printf '.notice first\n' >"$dir/1"
printf '.notice second\n' >"$dir/2"
printf ".notice third\n" >"$dir/3"
check "the order of the command line" valid -f "$dir/2" -f "$dir/proxy.cfg" -- "$dir/1" "$dir/3"
check "$(order)" test "$(order)" = "second first third "
check "an empty folder adds nothing" valid -f "$dir/empty" -f "$dir/proxy.cfg"
valid -f "$dir/empty"
check "nothing at all is refused" test $? -eq 1
check "and says so" says "no file *.cfg"
# A file of another kind: nothing of it is shown, since it may be a key.
{
	printf 'Bag Attributes\n-----BEGIN PRIVATE KEY-----\n'
	printf 'MIISECRETSECRETSECRET\n%.0s' 1 2 3
	printf -- '-----END PRIVATE KEY-----\n'
} >"$dir/key.pem"
valid -f "$dir/key.pem"
check "a key is no configuration" test $? -eq 1
check "which is said once" test "$(grep -c 'error: ' "$log")" -eq 1
check "by its name" says "holds a certificate or a key"
check "and nothing of it is shown" test "$(grep -c 'SECRET\|PRIVATE' "$log")" -eq 0
printf 'c2VjcmV0IGtleSBtYXRlcmlhbA==\nc2VjcmV0IGtleSBtYXRlcmlhbA==\n' >"$dir/key.b64"
valid -f "$dir/key.b64"
check "nor is what begins with no section" test "$(grep -c 'error: ' "$log")" -eq 1
check "of which nothing is shown either" test "$(grep -c c2Vj "$log")" -eq 0
hides() { # TITLE TEXT: one error that says so, and nothing of what the file has
	valid -f "$dir/other"
	check "$1 is no configuration" test $? -eq 1
	check "$1: one error" test "$(grep -c 'error: ' "$log")" -eq 1
	check "$1: $2" says "$2"
	check "$1: no line" test "$(grep -ci ' | \|secret' "$log")" -eq 0
}
pem() {
	printf -- '-----BEGIN PRIVATE KEY-----\nMIISECRETSECRET\nSECRET==\n-----END PRIVATE KEY-----\n'
}
(printf '\357\273\277' && pem) >"$dir/other"
hides "a key behind a byte order mark" "holds a certificate or a key"
(printf '\n \t' && pem) >"$dir/other"
hides "a key behind blanks" "holds a certificate or a key"
printf -- '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nSECRET\n' >"$dir/other"
hides "a key of SSH2" "holds a certificate or a key"
printf '0\202\011\001secret\002\001\000\nsecret\n' >"$dir/other"
hides "PKCS#12" "it is no text"
printf '\177ELF\002\001\nsecret\n' >"$dir/other"
hides "a program" "it is no text"
printf '\377\376g\000l\000o\000b\000a\000l\000\n\000' >"$dir/other"
hides "UTF-16" "it is UTF-16 text"
check "UTF-16 has a cure" says "save it as UTF-8"
printf 'g\000l\000o\000b\000a\000l\000\n\000' >"$dir/other"
hides "UTF-16 without a mark" "it is UTF-16 text"
for text in 'user: alice\npassword: secret\n' 'server=db\npassword=secret\n' 'userlist:secret\n' \
	'mode: prod\ndb_password: secret\n' 'global:secret\n' '"user:" secret\nserver secret\n' \
	'cookiesecret\nserver b\n' '.secret 1\nserver b\n' '.if 1\nsecret b\n.endif\n'; do
	printf "$text" >"$dir/other"
	hides "$text" "it does not begin with a section"
done
printf 'bind a secret\npassword secret\n' >"$dir/other"
hides "a word that has its section" "'bind' stands before the first section"
printf 'fronted a secret\npassword secret\n' >"$dir/other"
hides "a misspelt section" "unknown section 'fronted'"
(printf 'frontend x\n\tbind :443 ssl crt ' && pem && printf '\tmaxcon 5\n') >"$dir/other"
valid -f "$dir/other"
check "a key that was pasted" says "other:2: error: a certificate or a key stands in this line"
check "nothing of it is shown" test "$(grep -ci 'secret\|PRIVATE' "$log")" -eq 0
check "lines behind it are read" says "other:6:2: error: unknown word 'maxcon'"
check "two errors" test "$(grep -c 'error: ' "$log")" -eq 2

# Keys as people paste them: of all lines that hold one nothing is shown, whatever -c and explain
# say.
key="$(printf 'MIISECRETSECRETSECRETSECRETSECRETSECRETSECRETSECRET%02d+/\n' 1 2 3; echo SECRETSHORT==)"
begin='-----BEGIN RSA PRIVATE KEY-----' end='-----END RSA PRIVATE KEY-----'
each() { printf '%s\n%s\n%s\n' "$begin" "$key" "$end" | sed "$1"; }
pasted() { # TITLE ERRORS LINES: with what is right before and behind it
	{
		printf 'frontend x\n\tmode http\n'
		printf '%s\n' "$3"
		printf '\ttimeout client 5s\n\tmaxcon 5\n'
	} >"$dir/other"
	valid -f "$dir/other"
	check "$1: nothing of it is shown" test "$(grep -ci 'secret\|PRIVATE\|SSH2' "$log")" -eq 0
	check "$1: errors: $2" test "$(grep -c 'error: ' "$log")" -eq "$2"
	check "$1: lines behind it are read" says "unknown word 'maxcon'"
	"$PENSTOCK" explain -f "$dir/other" "GET http://x/" >"$log" 2>&1
	check "$1: explain does not show it" test "$(grep -ci 'secret\|PRIVATE\|SSH2' "$log")" -eq 0
}
pasted "in double quotes" 2 "	bind :443 ssl crt \"$begin
$key
$end\""
pasted "in single quotes" 2 "	bind :443 ssl crt '$begin
$key
$end'"
pasted "a comment in front" 2 "# $begin
$key
$end"
pasted "a comment behind words" 2 "	bind :443 # $begin
$key
$end"
pasted "all of it in comments" 1 "$(each 's/^/# /')"
pasted "lines that end in backslashes" 2 "	bind :443 ssl crt $(each 's/$/\\/')"
pasted "marked as mails mark it" 2 "$(each 's/^/> /')"
pasted "lines that end as those of Windows" 2 "$(each "s/\$/$(printf '\r')/")"
pasted "with numbers of lines" 2 "$(each = | sed 'N;s/\n/ /')"
pasted "SSH2" 2 "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----
Comment: secret
$key
---- END SSH2 ENCRYPTED PRIVATE KEY ----"
pasted "without its first line" 2 "$key
$end"
pasted "without its first line, marked" 2 "$(printf '%s\n' "$key" | sed 's/^/> /')"
pasted "without its last line" 2 "$begin
$key"
pasted "in one line" 2 "	bind :443 ssl crt $begin\\nMIISECRET\\nSECRET==\\n"
pasted "in one quoted line" 2 "	bind :443 ssl crt \"$begin\\n$(echo "$key" | head -1)\\n\""
pasted "where lines are not read" 1 ".if 0
	bind :443 ssl crt \"$begin
$key
$end\"
.endif"
# The names alone may stand in values.
{
	tcp_proxy
	printf 'frontend pem # ---- BEGIN Frontends ----\n\tmode http\n\tbind 127.0.0.1:1\n\ttimeout client 1s\n'
	printf '# ---- BEGIN Rules ----\n\thttp-request deny if { req.body -m sub -- "%s" }\n' "$begin"
	printf '\thttp-request set-header X "-----BEGIN CERTIFICATE-----%%[ssl_c_der,base64]"\n'
	printf '\thttp-request set-header Y -----BEGIN\\ CERTIFICATE-----%%[ssl_c_der,base64]\n'
} >"$dir/other"
check "the name of a key is no key" valid -f "$dir/other"
# Passwords: the place alone.
printf 'userlist a\n\tuser b password secret\n\tuser c insecure-password secret\n' >"$dir/other"
printf 'frontend x\n\tmode http\n\tbind 127.0.0.1:1\n\ttimeout client 1s\n\tstats auth a:secret\n' >>"$dir/other"
printf '\thttp-request set-header Authorization secret\n' >>"$dir/other"
valid -dD -f "$dir/other"
for place in 2:18:\ notice 3:9:\ note 8:13:\ note 9:40:\ note; do
	check "a password at $place" says "other:$place"
done
check "no password is shown" test "$(grep -c secret "$log")" -eq "$(grep -c 'a secret for' "$log")"
printf 'global\n\tsetenv PASS=secret\n' >"$dir/other"
valid -f "$dir/other"
check "a hint does not repeat a value" says "write 'setenv PASS ...'"
# What begins with a condition may have anything in comments.
{ printf '.if 1\n.endif\n# \033[1m bold\n'; tcp_proxy; } >"$dir/other"
check "a control character in a comment" valid -f "$dir/other"
printf '.if 1\n.endif\n# \000\nglobal\n' >"$dir/other"
hides "NUL behind a condition" "it is no text"
# Devices without an end.
for device in /dev/zero /dev/urandom; do
	timeout 20 "$PENSTOCK" -c -f $device >"$log" 2>&1
	check "$device ends" test $? -eq 1
	check "$device is no configuration" says "this file is no configuration"
done
check "/dev/null is empty" valid -f /dev/null -f "$dir/proxy.cfg"
# A word of megabytes is shown to programs in time that grows with its length.
{ printf 'global\n\t'; head -c 3000000 /dev/zero | tr '\0' _; echo; } >"$dir/other"
timeout 20 "$PENSTOCK" -c --format json -f "$dir/other" >"$dir/json" 2>&1
check "a long word as JSON" test $? -eq 1
check "all of it" test "$(wc -c <"$dir/json")" -gt 3000000
printf 'global\n\tb\233[1m \302\233[1m\n' >"$dir/other"
valid -f "$dir/other"
check "C1 does not reach the terminal" says "unknown word 'b?[1m'"
check "nor in the line" says "b?[1m ?[1m"

valid -f "$dir/nowhere"
check "a missing file is refused" test $? -eq 1
check "and named" says "$dir/nowhere"
check "with the reason" says "No such file or directory"

(cd "$dir/d" && "$PENSTOCK" -C "$dir" -c -f proxy.cfg >"$log" 2>&1)
check "-C comes first" test $? -eq 0
valid -C "$dir/nowhere" -f proxy.cfg
check "-C to nowhere" test $? -eq 1
check "-C says where" says "$dir/nowhere"

printf '\tmaxconn 10\n' >"$dir/rest.cfg"
printf 'global\n' >"$dir/global.cfg"
valid -f "$dir/global.cfg" -f "$dir/rest.cfg" -f "$dir/proxy.cfg"
check "a section ends with its file" test $? -eq 1
check "said plainly" says "'maxconn' stands before the first section"

printf 'global\n\tmaxcon 5' >"$dir/cut.cfg"
valid -f "$dir/cut.cfg" -f "$dir/proxy.cfg"
check "a last line without line feed is read" says "cut.cfg:2:2: error: unknown word 'maxcon'"
printf 'global\n.if !streq("$HAPROXY_CFGFILES",%s;%s)\n.alert "$HAPROXY_CFGFILES"\n.endif\n' \
	"$dir/env.cfg" "$dir/proxy.cfg" >"$dir/env.cfg"
check "HAPROXY_CFGFILES" valid -f "$dir/env.cfg" -f "$dir/proxy.cfg"
check "a pipe is read like a file" sh -c 'cat "$1" | "$2" -c -f /dev/stdin' sh "$dir/proxy.cfg" "$PENSTOCK"
printf 'global\n\000\001\177ELF\000\nbogus\n' >"$dir/binary.cfg"
valid -f "$dir/binary.cfg"
check "a binary file is one problem" test "$(grep -c 'error:' "$log")" -eq 1
[ "$failures" -eq 0 ] || cat "$log"
# default-path: an ACL's file lies beside the configuration, above it, elsewhere, or at the start.
mkdir -p "$dir/p/conf" "$dir/p/lists"
for place in "$dir" "$dir/p" "$dir/p/conf" "$dir/p/lists"; do
	echo "/from/$(basename "$place")" >"$place/$(basename "$place").lst"
done
here=$(basename "$dir")
uses() { # FILE POLICY LIST
	{
		[ -z "$2" ] || printf 'global\n\tdefault-path %s\n' "$2"
		printf 'frontend %s\n\tmode http\n\tbind 127.0.0.1:1\n\tacl a path -f %s\n' "$(basename "$1")" "$3"
		printf '\ttimeout client 1s\n\thttp-request deny if a\n'
	} >"$1"
}
cd "$dir" || exit 1
uses p/conf/c1 config conf.lst
check "default-path config" valid -f p/conf/c1
uses p/conf/c2 parent p.lst
check "default-path parent" valid -f p/conf/c2
uses p/conf/c3 "origin $dir/p/lists" lists.lst
check "default-path origin" valid -f p/conf/c3
uses p/conf/c4 current "$here.lst"
check "default-path current" valid -f p/conf/c4
uses p/lists/c5 "" lists.lst
check "it holds for the next file, whose own name does not follow it" valid -f p/conf/c1 -f p/lists/c5
check "and not without it" sh -c '! "$0" -c -f p/lists/c5 >/dev/null 2>&1' "$PENSTOCK"
uses p/conf/c6 "origin $dir/nowhere" conf.lst
valid -f p/conf/c6
check "a directory that is not there" says "cannot go to '$dir/nowhere'"
finish
