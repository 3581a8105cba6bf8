#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# h1-case-adjust and h1-case-adjust-file change the letters of names towards peers for which an
# option asks for it, and not towards others; files that are wrong are told with their lines.
. "${0%/*}/../lib.sh"

printf '# names\n\n  x-one  X-oNe\nx-two X-TWO\n' >"$dir/names"
cat >"$dir/cfg" <<END
global
	h1-case-adjust x-three x-THREE
	h1-case-adjust-file $dir/names
defaults
	mode http
	timeout client 20s
	timeout connect 20s
	timeout server 20s
listen adjusted
	bind unix@$dir/adjusted
	option h1-case-adjust-bogus-client
	option h1-case-adjust-bogus-server
	server s unix@$dir/origin
listen plain
	bind unix@$dir/plain
	server s unix@$dir/origin
END
command -v python3 >/dev/null || exit 77
"$PENSTOCK" -db -f "$dir/cfg" >"$log" 2>&1 &
pid=$!
python3 "${0%.sh}.py" "$dir" >"$dir/seen" 2>&1
cat >"$dir/expected" <<END
origin X-oNe X-TWO x-THREE x-four
client X-oNe X-TWO x-THREE X-Four
origin x-ONE x-two X-Three x-four
client X-One X-TWO X-Three X-Four
END
check "letters are changed where it was asked for" cmp "$dir/seen" "$dir/expected"
cmp -s "$dir/seen" "$dir/expected" || cat "$dir/seen" "$log"
kill "$pid"
wait "$pid"
pid=

wrong() {
	printf "$1" >"$dir/names"
	printf 'global\n h1-case-adjust-file %s\nbackend b\n' "$dir/names" >"$dir/cfg"
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1 && return 1
	grep -q "$2" "$log"
}
check "a line with one name" wrong 'a A\nb\n' 'line 2: two names are expected'
check "a line with three names" wrong 'a A x\n' 'line 1: there are more than two names'
check "names that differ" wrong 'ab AC\n' 'line 1: <from> and <to> may differ in the case'
check "a name given twice" wrong 'a A\nA a\n' 'line 2: this name is there already'
rm "$dir/names"
check "no such file" grep -q 'cannot read' <<END
$("$PENSTOCK" -c -f "$dir/cfg" 2>&1)
END
printf 'global\n h1-case-adjust ab AC\nbackend b\n' >"$dir/cfg"
check "a pair on the line" grep -q 'may differ in the case' <<END
$("$PENSTOCK" -c -f "$dir/cfg" 2>&1)
END
finish
