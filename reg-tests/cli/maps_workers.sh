#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Four workers have the same maps, entry by entry, whoever changes them (controllers, rules), also
# when workers are killed in the middle; a reload reads the files again.
. "${0%/*}/../lib.sh"
. "$srcdir/reg-tests/cli/maps_lib.sh"

maps_config '\tnbproc 4\n' <<END
	http-request set-map($dir/m.map) %[path] %[rand] if { path_beg /set }
	http-request del-map($dir/m.map) %[path] if { path_beg /del }
	http-request return status 200 content-type text/plain lf-string %[path,map($dir/m.map,none)]
END
start_workers
driver "${0%.sh}.py" || fail "see above"
finish
