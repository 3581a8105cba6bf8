/* SPDX-License-Identifier: BSD-2-Clause */
/* Who watches rules while they run (expr/watch.h): nobody, mostly. */
#include "expr/watch.h"

const struct watch *watch;
