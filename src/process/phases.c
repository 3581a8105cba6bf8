/* SPDX-License-Identifier: BSD-2-Clause */
/* The phases of a service, for all its modules (config/module.h). Called by run.c and parent.c. */
#include "process/phases.h"

#include "base/err.h"
#include "config/config.h"
#include "config/module.h"

#include <stddef.h>

int process_prepare_modules(struct config *cfg, struct err *err)
{
	size_t i;

	for (i = 0; cfg->modules[i]; i++)
		if (cfg->modules[i]->prepare &&
		    cfg->modules[i]->prepare(cfg, cfg->data[i], err) < 0)
			return -1;
	return 0;
}

int process_start_modules(struct config *cfg, struct err *err)
{
	size_t i;

	for (i = 0; cfg->modules[i]; i++)
		if (cfg->modules[i]->start &&
		    cfg->modules[i]->start(cfg, cfg->data[i], err) < 0)
			return -1;
	return 0;
}

void process_lead_modules(struct config *cfg)
{
	size_t i;

	for (i = 0; cfg->modules[i]; i++)
		if (cfg->modules[i]->lead)
			cfg->modules[i]->lead(cfg, cfg->data[i]);
}

void process_wait_modules(const struct config *cfg)
{
	size_t i;

	for (i = 0; cfg->modules[i]; i++)
		if (cfg->modules[i]->wait)
			cfg->modules[i]->wait();
}

void process_stop_modules(struct config *cfg)
{
	size_t i = 0;

	while (cfg->modules[i])
		i++;
	while (i--)
		if (cfg->modules[i]->stop)
			cfg->modules[i]->stop();
}
