#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A path that is full to the brim, in both directions, with or without FIN in it, drains as soon as
# the readers read.
. "${0%/*}/../lib.sh"

each_way relaytest drain
finish
