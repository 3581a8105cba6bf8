#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# "set server addr ... port" between a port and one that follows the client's ("+10", "-10", none in
# the file): answers as HAProxy 2.6 and 2.8 have them; connections go there; it outlasts a reload,
# and what the file says anew wins.
. "${0%/*}/../lib.sh"

cannot="can't change <port> to port map because it is incompatible with current health check port"
cannot="$cannot configuration (use 'port' statement from the 'server' directive."
sed "s/^/set server b\\//; s/@same/no need to change the addr/; s/@cannot/$cannot/
	s/$/ by 'stats socket command'/" >"$dir/asked" <<'END'
fixed addr 127.0.0.2 port 8002|IP changed from '127.0.0.1' to '127.0.0.2', port changed from '8001' to '8002'
fixed addr 127.0.0.2 port 8002|@same, no need to change the port
fixed addr 127.0.0.2|@same
fixed addr 127.0.0.2 port +10|@same, @cannot
fixed addr 127.0.0.2 port -1|@same, @cannot
fixed addr 127.0.0.2 port 0|@same, port changed from '8002' to '0'
fixed addr 127.0.0.2 port abc|@same, problem converting port 'abc' to an int
fixed addr 127.0.0.2 port|@same, problem converting port '' to an int
fixed addr foo.invalid|Invalid addr 'foo.invalid'
fixed addr 127.0.0.3 port +0|IP changed from '127.0.0.2' to '127.0.0.3', @cannot
none addr 127.0.0.2 port 8002|IP changed from '127.0.0.1' to '127.0.0.2', port changed from '+0' to '8002'
none addr 127.0.0.2 port +5|@same, @cannot
none addr 127.0.0.3 port 0|IP changed from '127.0.0.2' to '127.0.0.3', port changed from '8002' to '0'
plus addr 127.0.0.2 port +7|IP changed from '127.0.0.1' to '127.0.0.2', port changed from '+1000' to '+7'
plus addr 127.0.0.2 port -7|@same, port changed from '+7' to '-7'
plus addr 127.0.0.2 port +0|@same, port changed from '+65529' to '+0'
plus addr 127.0.0.2 port 8002|@same, port changed from '+0' to '8002'
plus addr 127.0.0.2 port +0|@same, @cannot
minus addr 127.0.0.1 port 80|@same, port changed from '+64536' to '80'
none_checked addr 127.0.0.1 port 8002|@same, port changed from '+0' to '8002'
none_checked addr 127.0.0.1 port +3|@same, port changed from '8002' to '+3'
checked addr 127.0.0.1 port +10|@same, @cannot
checked_there addr 127.0.0.1 port +10|@same, port changed from '8001' to '+10'
checked_there addr 127.0.0.1 port +10|@same, no need to change the port
checked_there addr 127.0.0.1 port -1|@same, port changed from '+10' to '-1'
checked_there addr 127.0.0.1 port -0|@same, port changed from '+65535' to '-0'
checked_there addr 127.0.0.1 port +0|@same, no need to change the port
checked_there addr 127.0.0.1 port +65535|@same, port changed from '+0' to '+65535'
checked_there addr 127.0.0.1 port +x|@same, problem converting port '+x' to an int
checked_there addr 127.0.0.1 port 8009|@same, port changed from '+65535' to '8009'
checked_there addr ::1 port +0|IP changed from '127.0.0.1' to '::1', port changed from '8009' to '+0'
END
http_config <<END
backend b
	server fixed 127.0.0.1:8001
	server none 127.0.0.1
	server plus 127.0.0.1:+1000
	server minus 127.0.0.1:-1000
	server none_checked 127.0.0.1 check port 1
	server checked 127.0.0.1:8001 check
	server checked_there 127.0.0.1:8001 check port 9
END
answers_beside "$dir/asked"
stop_penstock

offset=$((${back##*:} - ${front##*:}))
[ "$offset" -lt 0 ] || offset=+$offset
http_config "nbproc 2" <<END
	retries 0
frontend fe
	bind $front
	use_backend %[path,field(2,/)]
backend fixed
	server s 127.0.0.1:1 port ${back##*:}
backend none
	server s 127.0.0.1
backend plus
	server s 127.0.0.1:+20000
END
start_workers
driver "${0%.sh}.py" --offset="$offset" || failures=1
[ "$failures" -eq 0 ] || tail -n 40 "$log"
finish
