/* SPDX-License-Identifier: BSD-2-Clause */
/* The program penstock_pair: who is whose peer (sock_ops). */
#ifndef COLOCATE_PAIR_H
#define COLOCATE_PAIR_H

#include "base/result.h"
#include "net/bpf.h"

/* Loads it for these maps, in the order of their numbers: its descriptor, or -1 with errno. */
MUST_USE int colocate_pair_load(const int *maps, const struct bpf_log *log);

#endif
