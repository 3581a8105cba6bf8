#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Maps of any size are changed while others are served: payloads are whole or nothing, whoever
# leaves in the middle has changed nothing, versions come at once, and who reads slowly gets what
# stays.
. "${0%/*}/../lib.sh"
. "$srcdir/reg-tests/cli/maps_lib.sh"

maps_config '' <<END
	http-request return status 200 content-type text/plain lf-string %[path,map($dir/m.map,none)]
	http-request deny if { path_reg -f $dir/r.acl } { src,map_ip($dir/ip.map) -m found }
END
echo '^/a$' >"$dir/r.acl"
echo '10.0.0.0/8 ten' >"$dir/ip.map"
start_penstock
driver "${0%.sh}.py" || fail "see above"
finish
