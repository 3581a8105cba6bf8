/* SPDX-License-Identifier: BSD-2-Clause */
/* In the place of sandbox.c in builds without libseccomp or with the sanitizers. */
#include "process/sandbox.h"

bool sandbox_available(void)
{
	return false;
}

int sandbox_enter(bool namespaces, bool scripts, struct err *err)
{
	(void)namespaces;
	(void)scripts;
	(void)err;
	return 0;
}
