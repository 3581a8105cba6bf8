#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Out of descriptors for good: connections wait, and the process uses no CPU over it.
. "${0%/*}/../lib.sh"

SHIM="accept4=EMFILE@80"
tcp_proxy | config
start_penstock
relaytest -n 20 -z 10k transfer
# The stats socket does not answer any more: no questions from here on.
"$tool" -f "$front" -n 90 knock
relaytest -n 500 cpu
acted accept4=EMFILE@80
finish
