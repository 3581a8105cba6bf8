/* SPDX-License-Identifier: BSD-2-Clause */
/* The program penstock_pass: which way a message goes (sk_msg). */
#ifndef COLOCATE_PASS_H
#define COLOCATE_PASS_H

#include "base/result.h"
#include "colocate/kernel.h"
#include "net/bpf.h"

/* Loads it for these maps, in the order of their numbers: its descriptor, or -1 with errno. */
MUST_USE int colocate_pass_load(const struct colocate_kernel *kernel, const int *maps,
				const struct bpf_log *log);

#endif
