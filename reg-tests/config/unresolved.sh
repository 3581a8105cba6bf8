#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Host names are looked up when the files hold no mistake, each once: a slow name server keeps
# nobody from learning what is wrong in his file. What has no address is told of with its line.
. "${0%/*}/../lib.sh"

write() {
	cat >"$dir/cfg" <<-EOF
	defaults
		timeout connect 1m
		timeout client 1m
		timeout server 1m
	global
		server-state-file $dir/states
	listen l
		bind ${front:=127.0.0.1:$(ports 1)}
		load-server-state-from-file global
		server a name.invalid:80
		server b name.invalid:81
		server c other.invalid:80
		server-template t 50 name.invalid:80
		$1
	EOF
	printf '1\n' >"$dir/states"
}
judge() { "$PENSTOCK" "$@" -f "$dir/cfg" >"$log" 2>&1; }
says() { [ "$(grep -c "$1" "$log")" -eq "$2" ] || { cat "$log"; false; }; }

write "unknown-word"
judge -c
check "a file with a mistake is refused" test $? -eq 1
check "without asking for names" says "could not resolve" 0
write ""
judge -c
check "without mistakes it is valid" test $? -eq 0
check "each name without an address is told once" says "could not resolve" 2
check "with its other lines" says "also in lines* 11 and 13" 1
judge
check "and nothing starts" test $? -eq 1
check "because a server has no address" says "server l/a has no address: 'name.invalid' could not be resolved" 1

# Host names among the addresses of ACLs and of maps.
write ""
sed -i '/name\.invalid/d; /other\.invalid/d' "$dir/cfg"
cp "$dir/cfg" "$dir/plain"
printf '10.0.0.1 a\nfirst.invalid b\nsecond.invalid c\n' >"$dir/map"
for line in "src 10.0.0.0/8 first.invalid" "src,map_ip($dir/map) a"; do
	{ cat "$dir/plain"; printf '	acl a %s\n' "$line"; } >"$dir/cfg"
	judge -c
	check "with a pattern without address it is valid" test $? -eq 0
	check "which is told once" says "warning: could not resolve address 'first.invalid' of a pattern" 1
	judge
	check "and nothing starts with it" test $? -eq 1
	check "because the name has no address" says "'first.invalid' is no .* no host of this name was found" 1
done
finish
