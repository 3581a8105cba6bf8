#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# filter bwlim-in, bwlim-out and set-bandwidth-limit: no more passes than was allowed so far, in
# either mode and with each kind of body; whoever is held up runs into no timeout, and may go.
. "${0%/*}/../lib.sh"

compress=
"$PENSTOCK" -vv | grep -q '+ZLIB' && compress='compression algo gzip'

config <<END
defaults
	mode http
	timeout connect 30s
	timeout client 900ms
	timeout server 900ms
	timeout tunnel 900ms
	option splice-response
listen web
	bind $front
	filter bwlim-out slow default-limit 100k default-period 1s
	filter bwlim-in up default-limit 60k default-period 500ms min-size 2896
	filter bwlim-out slower default-limit 50k default-period 1s
	filter bwlim-out drops default-limit 2 default-period 2200ms
	filter bwlim-out huge default-limit 16g default-period 1ms
	http-request set-bandwidth-limit slow if { path_beg /slow /both }
	http-request set-bandwidth-limit up if { path_beg /up }
	http-request set-bandwidth-limit slower limit path,field(3,/) period int(500) if { path_beg /expr }
	http-request set-bandwidth-limit slower limit hdr(x-none) if { path_beg /none }
	http-request set-var(txn.path) path
	http-response set-bandwidth-limit slower if { var(txn.path) -m beg /both }
	http-response set-bandwidth-limit slow limit 40m if { var(txn.path) -m beg /large }
	http-response set-bandwidth-limit drops if { var(txn.path) -m beg /drops }
	http-response set-bandwidth-limit huge if { var(txn.path) -m beg /huge }
	http-request set-bandwidth-limit drops limit 1 period 1h if { path_beg /never }
	server s $back
listen packed
	bind unix@$dir/after.sock
	filter compression
	filter bwlim-out slow default-limit 100k default-period 1s
	${compress:+$compress}
	http-request set-bandwidth-limit slow
	server s $back
listen raw
	bind unix@$dir/before.sock
	filter bwlim-out slow default-limit 100k default-period 1s
	filter compression
	${compress:+$compress}
	http-request set-bandwidth-limit slow
	server s $back
listen bytes
	mode tcp
	bind unix@$dir/tcp.sock
	filter bwlim-out down default-limit 100k default-period 1s
	filter bwlim-in up default-limit 100k default-period 1s
	tcp-request inspect-delay 5s
	tcp-request content set-bandwidth-limit up
	tcp-request content set-bandwidth-limit down
	tcp-request content accept if { req.len gt 0 }
	server s $back
END

start_penstock
COMPRESS=$compress driver "${0%.sh}.py" || failures=1
kill -TERM "$pid" 2>/dev/null
wait "$pid"
pid=

# refused WORDS SENTENCE
refused() {
	printf 'listen l\n\tmode http\n\tbind %s\n\tfilter bwlim-out x default-limit 1 default-period 1\n\t%b\n' \
		"$front" "$1" >"$dir/wrong"
	"$PENSTOCK" -c -f "$dir/wrong" >"$dir/out" 2>&1
	check "refused: $1" test $? -ne 0
	check "because: $2" grep -qF -e "$2" "$dir/out"
}
refused 'filter bwlim-out y limit 1 key src table t' "there is no stick table 't'"
refused 'filter bwlim-out y limit 1 key src' "needs the name of a stick table here: 'l' has none"
refused 'filter bwlim-out y limit 1 table t' "'key' and an expression are expected"
refused 'filter bwlim-out y key src table t' "'limit' and how many bytes are expected"
refused 'filter bwlim-out y limit 1 key src default-period 1s' "or streams share one"
refused 'filter bwlim-in y default-limit 1 key src' "or streams share one"
of_table='stick-table type integer size 10 store bytes_out_rate(1s)\n\tfilter bwlim'
refused "$of_table-in y limit 1 key src" "needs a stick table with 'store bytes_in_rate(<period>)'"
refused "$of_table-out y limit 1 key ssl_c_sha1" "cannot be a key of the stick table 'l'"
refused "$of_table-out y limit 5g key src" "counts less than that in a period: 'brates-factor' makes room"
shared="$of_table-out y limit 1 key src\\n\\thttp-request set-bandwidth-limit y"
refused "$shared limit 5" "streams share the limit of 'y'"
refused "$shared period 5s" "streams share the limit of 'y'"
refused 'filter bwlim-in x default-limit 1 default-period 1' "has a limit 'x' already"
refused 'filter bwlim-in y default-limit 0 default-period 1' "the limit cannot be 0"
refused 'filter bwlim-in y default-limit 1' "'default-period' and a time are expected"
refused 'http-request set-bandwidth-limit z' "has no filter bwlim-in or bwlim-out 'z'"
refused "$of_table-out y limit 1 key path,length\\n\\thttp-response set-bandwidth-limit y" \
	"looks at the request, which 'http-response' rules cannot see"
refused 'filter spoe config x' "the filter 'spoe' is not supported yet"
refused 'filter lua.x' "no script has registered the filter 'lua.x'"
refused 'filter compresion' "did you mean 'compression'"
finish
