/* SPDX-License-Identifier: BSD-2-Clause */
/* The filters of one stream (filter/filter.h): taken up, told what happens, given back. The stream
 * calls these at its steps, and only where the frontend or the backend has filters. */
#include "filter/filter.h"

#include "base/pool.h"
#include "proxy/proxy.h"
#include "relay/pump.h"

static struct pool filters_pool = POOL_INIT("filters", sizeof(struct filters));

struct filters *filters_of(struct relay *relay)
{
	return relay->response.chain ? container_of(relay->response.chain, struct filters, response) :
				       NULL;
}

unsigned filters_moments(const struct proxy *px)
{
	const struct filter_line *line;
	unsigned moments = 0;

	for (line = px->filters; line; line = line->next)
		moments |= line->kind->moments;
	return moments;
}

static struct filter *filter_new(struct filters *set, const struct filter_line *line,
				 const struct proxy *px)
{
	struct filter *f = pool_take(line->kind->pool);

	if (!f)
		return NULL;
	f->set = set;
	f->line = line;
	f->proxy = px;
	f->place = set->count++;
	*set->last = f;
	set->last = &f->next;
	return f;
}

static bool filters_take(struct filters *set, const struct proxy *px)
{
	const struct filter_line *line;
	struct filter *f;

	for (line = px->filters; line; line = line->next) {
		if (line->kind->http && !set->http)
			continue;
		f = filter_new(set, line, px);
		if (!f)
			return false;
		if (line->kind->begin)
			line->kind->begin(f);
	}
	return true;
}

struct filters *filters_new(struct relay *relay, const struct proxy *frontend, uint64_t stream,
			    bool http)
{
	struct filters *set = pool_take(&filters_pool);

	if (!set)
		return NULL;
	set->relay = relay;
	set->frontend = frontend;
	set->stream = stream;
	set->http = http;
	set->last = &set->first;
	chain_join(&set->request, &relay->request);
	chain_join(&set->response, &relay->response);
	if (filters_take(set, frontend))
		return set;
	filters_end(set);
	return NULL;
}

bool filters_backend(struct filters *set, const struct proxy *backend)
{
	struct filter *f;

	if (set->backend == backend)
		return true;
	set->backend = backend;
	if (backend != set->frontend && !filters_take(set, backend))
		return false;
	for (f = set->first; f; f = f->next)
		if (f->line->kind->backend)
			f->line->kind->backend(f);
	return true;
}

enum moment_said filters_hear(struct filters *set, enum moment moment, bool again)
{
	bool is_response = moment >= MOMENT_RESPONSE;
	struct filter **asked = &set->asked[is_response];
	enum moment_said said = SAID_GOES_ON;
	struct filter *f;

	f = again && set->waits[is_response] ? *asked : set->first;
	for (; f && said == SAID_GOES_ON; f = f->next) {
		if (!(f->line->kind->moments & 1u << moment) || !f->line->kind->hear)
			continue;
		*asked = f;
		said = f->line->kind->hear(f, moment);
	}
	set->waits[is_response] = said == SAID_WAITS;
	return said;
}

bool filters_request(struct filters *set, struct filter_heads *heads)
{
	struct filter *f;

	for (f = set->first; f; f = f->next)
		if (f->line->kind->request && !f->line->kind->request(f, heads))
			return false;
	return true;
}

bool filters_response(struct filters *set, struct filter_heads *heads)
{
	struct filter *f;

	for (f = set->first; f; f = f->next)
		if (f->line->kind->response && !f->line->kind->response(f, heads))
			return false;
	return true;
}

void filters_open(struct filters *set, bool response)
{
	struct filter *f;

	for (f = set->first; f; f = f->next)
		if (f->line->kind->open)
			f->line->kind->open(f, response);
	chain_open(response ? &set->response : &set->request);
}

void filters_forget_response(struct filters *set)
{
	struct pump *pump = set->response.pump;
	struct filter *f;

	chain_leave(&set->response);
	for (f = set->first; f; f = f->next)
		if (f->line->kind->forget)
			f->line->kind->forget(f);
	chain_join(&set->response, pump);
}

bool filters_cut(const struct filters *set)
{
	return set->request.cut || set->response.cut;
}

void filters_end(struct filters *set)
{
	struct filter *f;

	chain_leave(&set->request);
	chain_leave(&set->response);
	for (f = set->first; f; f = f->next)
		if (f->line->kind->end)
			f->line->kind->end(f);
	while ((f = set->first)) {
		set->first = f->next;
		pool_put(f->line->kind->pool, f);
	}
	pool_give(&filters_pool, &set);
}

void filter_link(struct filter *f, bool response, struct pump_filter *member)
{
	member->place = f->place;
	chain_link(response ? &f->set->response : &f->set->request, member);
}
