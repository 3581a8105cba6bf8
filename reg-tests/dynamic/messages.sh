#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What commands on servers that come and go answer, word for word as HAProxy 2.6 and 2.8, which is
# asked beside where it is installed (REFERENCE=PROGRAM: another one). Line by line: a command, and
# its answer.
. "${0%/*}/../lib.sh"

pointed="This server cannot be removed at runtime due to other configuration elements"
pointed="$pointed pointing to it."
no_ssl="'set server <srv> ssl' cannot be set.  default-server should define ssl settings"
sed "s/@1/$pointed/; s/@2/$no_ssl/" >"$dir/asked" <<'END'
add server|Require 'backend/server'.
add server b|Require 'backend/server'.
add server b/|Require 'backend/server'.
add server nope/x 127.0.0.1:80|No such backend.
add server b/s1 127.0.0.1:80|Already exists a server with the same name in backend.
add server b/n1|'server' expects <name> and <addr>[:<port>] as arguments.
add server b/n1 127.0.0.1:80|New server registered.
add server b/n2 127.0.0.1:80 resolvers x|'resolvers' option is not accepted for dynamic server
add server b/n2 127.0.0.1:80 redir http://x|'redir' option is not accepted for dynamic server
add server b/n2 127.0.0.1:80 init-addr none|'init-addr' option is not accepted for dynamic server
add server b/n2 127.0.0.1:80 id 77|New server registered.
add server b/n3 127.0.0.1:80 track n1|unable to use b/n1 for tracking as it is a dynamic server.
add server b/n3 127.0.0.1:80 track s1x|New server registered.
add server b/n4 foo.example:80|New server registered.
add server b/n5 127.0.0.1:80 check inter 1s|New server registered.
add server b/n6 127.0.0.1:80 disabled|New server registered.
add server b/n12 127.0.0.1:80 agent-check agent-port 99|New server registered.
add server b/n15 /tmp/sock|New server registered.
add server st/n1 127.0.0.1:80|Backend must use a dynamic load balancing to support dynamic servers.
add server mp/n1 127.0.0.1:80|Backend must use a dynamic load balancing to support dynamic servers.
add server ch/n1 127.0.0.1:80|New server registered.
get weight b/n1|1 (initial 1)
del server|Require 'backend/server'.
del server b/nope|No such server.
del server nope/x|No such backend.
del server b/n1|Server deleted.
del server b/s1|Only servers in maintenance mode can be deleted.
disable server b/s1|
del server b/s1|Server deleted.
set server b/s1x state maint|
del server b/s1x|@1
set server b/s3 state maint|
del server b/s3|@1
set server b/s4 state maint|
del server b/s4|@1
set server b/s2 state maint|
del server b/s2|Server deleted.
add server b/n1 127.0.0.1:81|New server registered.
enable agent b/n1|Agent was not configured on this server, cannot enable.
enable health b/n1|Health check was not configured on this server, cannot enable.
set server b/n5 ssl on|'set server <srv> ssl' not supported on dynamic servers
set server b/s4 ssl on|@2
set server tls/s1 ssl off|server ssl setting updated.
set server tls/s1 ssl on|server ssl setting updated.
set server tls/s2 ssl on|server ssl setting updated.
set server b/n12 agent-send foo|agent checks are not enabled on this server.
enable agent b/n12|
set server b/n12 agent-send foo|
set server b/n5 fqdn foo.bar|set server <b>/<s> fqdn failed because no resolution is configured.
END
http_config <<END
frontend fe
	bind $front
	default_backend b
backend b
	default-server weight 7
	use-server s3 if { src 192.0.2.1 }
	http-request deny if { srv_is_up(b/s4) } FALSE
	server s1 127.0.0.1:1
	server s2 127.0.0.1:1 track s1x disabled
	server s1x 127.0.0.1:1 check
	server s3 127.0.0.1:1
	server s4 127.0.0.1:1
backend st
	balance static-rr
	server s1 127.0.0.1:1
backend mp
	balance source
	server s1 127.0.0.1:1
backend ch
	balance source
	hash-type consistent
	server s1 127.0.0.1:1
backend tls
	server s1 127.0.0.1:1 ssl verify none
	server s2 127.0.0.1:1 check-ssl verify none
END

answers_beside "$dir/asked"
finish
