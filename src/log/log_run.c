/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes what log lines go to: targets, and rings with the servers that they are
 * forwarded to. */
#include "log/log_data.h"

#include "log/log_conf.h"
#include "log/ring.h"
#include "log/ring_server.h"

#include <time.h>

struct ring *ring_find(const char *name)
{
	return log_running ? ring_of_name(log_running, name) : NULL;
}

struct ring *ring_next(const struct ring *ring)
{
	const struct list *next;

	if (!log_running)
		return NULL;
	next = ring ? ring->node.next : log_running->rings.next;
	return next == &log_running->rings ? NULL : list_entry(next, struct ring, node);
}

static int log_prepare(struct config *cfg, void *module_data, struct err *err)
{
	struct log_data *data = config_data(cfg, &log_module);
	struct log_target *t;
	struct ring *ring;

	(void)module_data;
	tzset();
	list_for_each(ring, &data->rings, node)
		if (ring_prepare(ring, err))
			return -1;
	list_for_each(t, &data->targets, node)
		if (log_target_open(t, err))
			return -1;
	log_set_running(data);
	return 0;
}

/* Rings talk to their servers from each process, about what that process has said. */
static int rings_start(const struct log_data *data, struct err *err)
{
	struct ring *ring;

	list_for_each(ring, &data->rings, node)
		if (ring_start(ring, err))
			return -1;
	return 0;
}

static int log_start(struct config *cfg, void *module_data, struct err *err)
{
	(void)module_data;
	return rings_start(config_data(cfg, &log_module), err);
}

int log_parent_start(struct err *err)
{
	return log_running ? rings_start(log_running, err) : 0;
}

void log_forked(void)
{
	struct ring_server *s;
	struct ring *ring;

	if (!log_running)
		return;
	list_for_each(ring, &log_running->rings, node) {
		list_for_each(s, &ring->servers, reader.node)
			ring_server_drop(s);
		ring_empty(ring);
	}
}

static void log_stop(void)
{
	const struct log_data *data = log_running;
	struct log_target *t;
	struct ring *ring;

	if (!data)
		return;
	log_set_running(NULL);
	list_for_each(t, &data->targets, node)
		log_target_close(t);
	list_for_each(ring, &data->rings, node)
		ring_stop(ring);
}

const struct module log_run_module = {
	.name = "log_run",
	.prepare = log_prepare,
	.start = log_start,
	.stop = log_stop,
};
