#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What each process has of its own is shown by any of them, with its name, or of one that is asked
# for; errors are those of all; counters are cleared in all.
. "${0%/*}/../lib.sh"

{ printf '\tnbproc 3\n'; http_proxy; } | config
start_workers
own_driver
finish
