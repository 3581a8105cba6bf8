/* SPDX-License-Identifier: BSD-2-Clause */
/* Reload. */
#include "process/reload.h"

#include "base/clock.h"

#include <string.h>
#include <unistd.h>

struct reload_info reload_info;

void reload_request(int fd)
{
	static const char text[] = "Success=0\n--\nreload is not supported yet\n";

	reload_info.failed++;
	reload_info.last_failed = true;
	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		reload_info.last_failed = true;
	if (fd >= 0)
		close(fd);
}

const char *reload_log(void)
{
	return "";
}

void reload_child_ended(int pid, int status)
{
	(void)pid;
	(void)status;
}

void reload_forget(void)
{
}
