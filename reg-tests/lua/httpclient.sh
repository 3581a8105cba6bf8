#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# HTTPClient and sockets of scripts reach servers by name and by TLS: httpclient.py, with a name
# server of its own, in namespaces of its own; without rights, in an empty folder, behind the filter
# of system calls.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
"$PENSTOCK" -vv | grep -q '+CARES' || { say "this build asks no name servers"; exit 77; }
if [ -z "${OWN_NETWORK:-}" ]; then
	unshare -n -m true 2>/dev/null || { say "needs namespaces"; exit 77; }
	cleanup
	OWN_NETWORK=1 exec unshare -n -m sh -c 'ip link set lo up; exec sh "$@"' sh "$0" "$@"
fi
. "${0%/*}/../tls/certs.sh"

authority ca
authority other
signed good ca good.test
signed own other good.test
echo "nameserver 127.0.0.1" >"$dir/resolv.conf"
printf '127.0.0.1 localhost hosted.test\n::1 localhost\n' >"$dir/hosts"
mount --bind "$dir/resolv.conf" /etc/resolv.conf || exit 77
mount --bind "$dir/hosts" /etc/hosts || exit 77
mkdir "$dir/empty"
cp "${0%/*}/httpclient.lua" "$dir/httpclient.lua"
ulimit -n 8192 2>/dev/null

# served LINES: a configuration whose service is the script's; the rest of the global section.
served() {
	{
		printf '\tmaxconn 2500\n%s\n\tlua-load %s\n' "$1" "$dir/httpclient.lua"
		http_defaults
		cat <<-END
		frontend fe
			bind $front
			http-request lua.allowed if { path_beg /in/ }
			http-request return status 200 content-type text/plain lf-string %[var(txn.status)] if { path_beg /in/ }
			http-request use-service lua.ask
		END
	} | config
}

ask_all() { # PARTS
	driver "$srcdir/reg-tests/lua/httpclient.py" --what "$1" --certs "$certs" || fail "$1"
}

ca="	httpclient.ssl.ca-file $certs/ca.pem"
served "$ca"
start_penstock
ask_all names,tls,kept,many
ask_all gone
ask_all command
stop_penstock

# Behind chroot the leak checker finds no /proc.
if ! sanitized; then
	served "$ca
	user nobody
	group nogroup
	chroot $dir/empty"
	chmod 755 "$dir" "$dir/empty"
	start_penstock
	ask_all confined
	stop_penstock
fi

served "	httpclient.ssl.verify none
	httpclient.resolvers.prefer ipv4
	httpclient.retries 0
	httpclient.timeout.connect 300ms"
start_penstock
ask_all words
stop_penstock

served "	httpclient.resolvers.disabled on
	ssl-server-verify required
	httpclient.resolvers.id default"
start_penstock
ask_all disabled
stop_penstock

served "$ca
	nbproc 2"
start_workers
ask_all workers
stop_penstock

# The name servers of a section, in the place of those of resolv.conf.
: >"$dir/resolv.conf"
served "	httpclient.resolvers.id own
resolvers own
	nameserver ns1 127.0.0.1:53
	hold valid 3s
global
$ca"
start_penstock
ask_all names
stop_penstock

# What cannot be is an error of the configuration.
refused() { # LINE TEXT
	printf 'global\n\t%s\n' "$1" >"$dir/bad.cfg"
	"$PENSTOCK" -c -f "$dir/bad.cfg" >"$dir/said" 2>&1
	check "refused: $1" grep -q "$2" "$dir/said"
}
refused "httpclient.resolvers.id mine" "there is no section 'resolvers mine'"
refused "httpclient.resolvers.prefer ipv5" "not a known value"
refused "httpclient.resolvers.disabled maybe" "not a known value"
refused "httpclient.ssl.ca-file /nosuch" "/nosuch"
refused "httpclient.ssl.verify optional" "required"
refused "httpclient.retries many" "number"
refused "httpclient.timeout.connect soon" "soon"
finish
