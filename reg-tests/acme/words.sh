#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Words of sections "acme" and of the lines that name one: what is taken, what is refused with which
# sentence, and that looking at a configuration makes no file.
. "${0%/*}/../lib.sh"

"$PENSTOCK" help crt-base >/dev/null 2>&1 || { say "this build has no TLS"; exit 77; }

# judge SECTION-LINES LOAD-WORDS
judge() {
	{
		printf 'global\n\tacme.scheduler off\n'
		printf 'acme le\n\tdirectory https://127.0.0.1:1/dir\n'
		printf '\taccount-key %s\n%s\n' "$dir/key" "$1"
		printf 'crt-store web\n\tload crt %s/site.pem alias site %s\n' "$dir" "$2"
		http_defaults
		printf 'listen l\n\tbind %s ssl crt @web/site\n' "$front"
		printf '\thttp-request set-var(txn.a) path,map(virt@acme)\n'
	} >"$dir/cfg"
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
}
line='acme le domains "a.example,B.example"'
taken() { judge "$1" "${2:-$line}"; check "taken: $1 $2" test $? -eq 0 || cat "$log"; }
refused() { # SENTENCE SECTION-LINES LOAD-WORDS
	judge "$2" "${3:-$line}" && fail "taken: $2 $3"
	check "refused: $2 $3" grep -qF -e "$1" "$log" || cat "$log"
}

taken "	contact a@example.org
	challenge tls-alpn-01
	map virt@acme
	keytype RSA
	curves P-256
	bits 3072
	reuse-key on
	profile shortlived
	eab-key-id $dir/id
	eab-mac-key $dir/mac
	eab-mac-alg HS512"
check "a temporary certificate is announced" grep -q "temporary certificate, which clients" "$log"
check "no file was made" test ! -e "$dir/key"
taken "	challenge HTTP-01"
check "the map is looked up" sh -c "! grep -q 'nobody answers' '$log'"
taken "	map virt@other"
check "nobody looks the map up" grep -q "no rule looks up 'map(virt@other)'" "$log"
refused "'dns-01' is not supported yet" "	challenge dns-01"
refused "challenge" "	challenge http-02"
refused "no URL of a directory" "	directory ftp://a.example/"
refused "no URL of a directory" "	directory nonsense"
refused "no mail address" "	contact nobody"
refused "without quotes" "	contact 'a\"@b.example'"
refused "keytype" "	keytype DSA"
refused "curves" "	curves P-224"
refused "bits" "	bits 1024"
refused "bits" "	bits 8192"
refused "go together" "	eab-key-id $dir/id"
refused "is no name of a file" "	account-key $dir/"
refused "another section 'acme le'" "acme le"
refused "names no authority" "acme other"
refused "there is no section 'acme other'" "" "acme other domains a.example"
refused "'acme' needs 'domains'" "" "acme le"
refused "'domains' belongs to 'acme'" "" "domains a.example"
refused "prove no wildcards" "" "acme le domains *.example"
refused "is no name that a certificate" "" "acme le domains a.example,,b.example"
refused "is no name that a certificate" "" "acme le domains a.example/b"
for name in 192.0.2.1 a..example a.example. .example "$(printf '%064d' 0).example"; do
	refused "'domains': '" "" "acme le domains b.example,$name"
done
refused "is the file of '@web/site' by ACME already" "" "$line
	load crt $dir/site.pem alias other $line"
taken "" "$line
	load crt $dir/other.pem alias other $line"
refused "leave 'key' out" "" "$line key $dir/x"

# In a crt-list, where quotes stay where they are; another line may not say something else.
list() {
	printf '%s\n' "$@" >"$dir/list"
	{
		printf 'acme le\n\tdirectory https://127.0.0.1:1/dir\n'
		printf '\tchallenge tls-alpn-01\n\taccount-key %s\n' "$dir/key"
		http_defaults
		printf 'listen l\n\tbind %s ssl crt-list %s\n' "$front" "$dir/list"
	} >"$dir/cfg"
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
}
check "in a crt-list" list "$dir/a.pem [acme le domains \"a.example,b.example\"] a.example"
check "twice the same" list "$dir/a.pem [acme le domains a.example]" \
	"$dir/a.pem [acme le domains a.example] b.example"
list "$dir/a.pem [acme le domains a.example]" "$dir/a.pem [acme le domains b.example]"
check "two lines that differ" grep -q "say something else at .*list:1" "$log" || cat "$log"
list "$dir/a.pem [acme no domains a.example]"
check "a section that is not there" grep -q "there is no section 'acme no'" "$log" || cat "$log"
list "$dir/nowhere/a.pem"
check "without acme the file must be there" grep -q "No such file" "$log"
finish
