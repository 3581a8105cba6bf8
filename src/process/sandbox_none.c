/* SPDX-License-Identifier: BSD-2-Clause */
/* In the place of sandbox.c in builds without libseccomp or with the sanitizers. */
#include "process/sandbox.h"

bool sandbox_available(void)
{
	return false;
}

int sandbox_enter(const struct sandbox_wants *wants, struct err *err)
{
	(void)wants;
	(void)err;
	return 0;
}
