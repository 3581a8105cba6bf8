/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether this process may enable colocate/ at all: asked first, so that what is refused later has
 * other reasons (capabilities(7)). */
#ifndef COLOCATE_RIGHTS_H
#define COLOCATE_RIGHTS_H

#include "base/err.h"

/* 0: it has what bpf(2) asks for. -1 with a sentence that names what is missing. */
int colocate_may(struct err *err);

#endif
