#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rows of datagrams come as one, where the way on takes none: they leave one by one.
SHIM=segments=EINVAL
. "${0%/*}/rows.sh"
