#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Datagrams that the kernel does not cut up (older ones, or the way is too narrow) leave one by one.
SHIM=segments=EINVAL
. "${0%/*}/sessions.sh"
