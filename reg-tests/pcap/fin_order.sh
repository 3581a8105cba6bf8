#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A direction that ends sends FIN behind its last byte, and nobody is reset, each way to move bytes.
. "${0%/*}/../lib.sh"
own_network "$@"

each_way wire fin-order
finish
