#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The file changes between its validation and the moment at which the parent reads it: to one that
# has nothing to start, to none, to a pipe that nobody writes. The reload fails, the workers of
# before go on, the next one succeeds.
. "${0%/*}/../lib.sh"

# What the parent executes as itself puts "next" in the place of the file.
cat >"$dir/wrapper" <<END
#!$(command -v python3) -S
import os, sys
if "PENSTOCK_HANDOVER" in os.environ and os.path.lexists("$dir/next"):
    os.replace("$dir/next", "$dir/cfg")
os.execv("$PENSTOCK", sys.argv)
END
chmod +x "$dir/wrapper"
PENSTOCK=$dir/wrapper
: >"$dir/empty"
{ printf '\tnbproc 2\n'; http_defaults; cat <<END; } >"$dir/text"
frontend fe
	bind $front
	http-request return status 200
END
config <"$dir/text"
cp "$dir/cfg" "$dir/good"
sed '/bind/d; /stats/d' "$dir/good" >"$dir/deaf"
start_workers
own_driver
stop_penstock
finish
