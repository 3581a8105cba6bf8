#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb before programs that people run: unbound, chronyd, rsyslogd and freeradius, as far as they
# are installed. Checks find each well, what clients send is answered, and who has ended is down.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 9)
daemons= missing=
# daemon NAME PROGRAM [ARGUMENTS]: starts it, if it is there; $NAME is its process.
daemon() {
	name=$1
	command -v "$2" >/dev/null || { missing="$missing $2"; return 1; }
	shift
	"$@" >"$dir/$name.log" 2>&1 &
	children="$children $!"
	daemons="$daemons $name=$!"
}
section() { # NAME PORT CHECK SERVER-PORT
	printf 'udp-lb %s\n\tdgram-bind 127.0.0.1:%s\n\toption udp-check %s\n' \
		"$1" "$2" "$3" >>"$dir/cfg"
	printf '\ttimeout %s\n' "check 10s" "client 1m" "server 1m" >>"$dir/cfg"
	printf '\tserver s 127.0.0.1:%s %s\n' "$4" \
		"check inter 50ms rise 1 fall 1" >>"$dir/cfg"
}
printf 'global\n\tstats socket %s level admin\n' "$stats" >"$dir/cfg"

cat >"$dir/unbound.conf" <<END
server:
	interface: 127.0.0.1
	port: $1
	username: ""
	chroot: ""
	directory: "$dir"
	pidfile: ""
	use-syslog: no
	do-daemonize: no
	local-zone: "test." static
	local-data: "www.test. A 10.0.0.7"
END
if daemon dns unbound -d -c "$dir/unbound.conf"; then section dns "$2" "dns www.test" "$1"; fi
cat >"$dir/chrony.conf" <<END
local stratum 8
port $3
bindaddress 127.0.0.1
allow 127.0.0.0/8
cmdport 0
bindcmdaddress /
pidfile $dir/chrony.pid
END
if [ "$(id -u)" -eq 0 ] && daemon ntp chronyd -d -x -u root -f "$dir/chrony.conf"; then
	section ntp "$4" ntp "$3"
fi
cat >"$dir/rsyslog.conf" <<END
module(load="imudp")
input(type="imudp" address="127.0.0.1" port="$5")
*.* $dir/lines
END
if daemon syslog rsyslogd -n -f "$dir/rsyslog.conf" -i "$dir/rsyslog.pid"; then
	section syslog "$6" syslog "$5"
	sed -i '/udp-check syslog/,$ s/timeout check 10s/timeout check 100ms/' "$dir/cfg"
fi
# Its configuration may be nobody's but the user's own.
mkdir -m 700 "$dir/radius"
cat >"$dir/radius/radiusd.conf" <<END
logdir = $dir
run_dir = $dir
raddbdir = $dir/radius
libdir = /usr/lib/freeradius
log {
	destination = stdout
}
security {
	status_server = yes
}
modules {
}
client here {
	ipaddr = 127.0.0.1
	secret = xyzzy
	require_message_authenticator = yes
}
server default {
	listen {
		type = auth
		ipaddr = 127.0.0.1
		port = $7
	}
	authorize {
		update control {
			Auth-Type := Accept
		}
	}
}
END
if daemon radius freeradius -f -l stdout -d "$dir/radius"; then
	section radius "$8" "radius xyzzy" "$7"
	section stranger "$9" "radius another" "$7"
	sed -i '/udp-check radius another/,$ s/timeout check 10s/timeout check 200ms/' "$dir/cfg"
fi
[ "$(id -u)" -eq 0 ] || missing="$missing chronyd (needs root)"
[ -z "$missing" ] || say "skipped  judges that are not here:$missing"
[ -n "$daemons" ] || { say "skipped  no judge is installed"; exit 77; }
say "judges:$daemons"
start_penstock
driver "$srcdir/reg-tests/udp/daemons.py" --ports "$*" --daemons "$daemons" --lines "$dir/lines" ||
	failures=1
finish
