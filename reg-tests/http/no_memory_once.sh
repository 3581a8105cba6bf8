#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# When there is no memory for what keeps a server's connection for others, the connection serves the
# exchange that it was made for, and is closed behind it.
. "${0%/*}/../lib.sh"

[ "$PENSTOCK" != haproxy ] || { say "the reference cannot fail at the n-th"; exit 77; }
# nth: allocations are counted down in its first bytes.
head -c 8 /dev/zero >"$dir/nth"
http_proxy "http-reuse always" | config
start_penstock -dMfail:"$dir/nth"
own_driver
finish
