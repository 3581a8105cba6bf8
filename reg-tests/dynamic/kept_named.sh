#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A new file that names what commands have added, kept over reloads or not, would not do for a
# start: so it does not for a reload either, as any file with a name that is not there. The answer
# names rule and server, and says what to do; who served before goes on, with what was added. As
# soon as the file has the server, the rule finds it. Kept servers that track one which does not fit
# are left out with it.
. "${0%/*}/../lib.sh"

{
	printf '\tnbproc 2\n'
	http_defaults
	cat <<-END
	defaults spare from web
		added-servers keep
	frontend fe from web
		bind $front
		use_backend %[path,field(2,/)]
	backend keeps from web
		added-servers keep
		option httpchk
		# rules
		server fixed $back check disabled
	backend forgets from web
		server fixed $back disabled
	END
} | sed 's/^defaults$/defaults web/' | config
start_workers
driver "${0%.sh}.py" || failures=1
[ "$failures" -eq 0 ] || tail -n 60 "$log"
finish
