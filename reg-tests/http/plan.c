/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What httpsoak's clients and origins are going to do, drawn from the seed and the number of the
 * connection alone, so that a run can be repeated.
 */
#include "httpsoak.h"

#include <string.h>

struct plan_limits limits = { .largest = 1 << 20 };

static bool one_in(uint64_t *r, unsigned n)
{
	return rnd(r) % n == 0;
}

static uint64_t draw_size(uint64_t *r)
{
	switch (rnd_range(r, 0, 9)) {
	case 0: return 0;
	case 1: case 2: case 3: return rnd_range(r, 1, 2000);
	case 4: case 5: case 6: return rnd_range(r, 1, 65536);
	case 7: case 8: return rnd_range(r, 1, 300000);
	default: return rnd_range(r, 1, limits.largest);
	}
}

static void draw_body(struct body *b, uint64_t *r, enum framing f)
{
	b->framing = f;
	b->seed = rnd(r) >> 1;
	b->dice = rnd(r);
	b->size = f == NO_BODY ? 0 : draw_size(r);
	b->chunk_max = (size_t)rnd_range(r, 1, one_in(r, 3) ? 100 : one_in(r, 2) ? 5000 : 100000);
	if (b->size / b->chunk_max > 3000)
		b->chunk_max = 70000;
	b->extensions = one_in(r, 2);
	b->trailer = one_in(r, 2);
}

static void draw_manner(struct manner *m, uint64_t *r, uint64_t size)
{
	m->piece = (size_t)rnd_range(r, 1, one_in(r, 3) ? 1500 : 65536);
	m->read_max = (size_t)rnd_range(r, 1, one_in(r, 3) ? 3000 : 65536);
	if (size / m->piece > 500)
		m->piece = 65536;
	if (size / m->read_max > 500)
		m->read_max = 65536;
	m->pause_every = one_in(r, 3) ? (unsigned)rnd_range(r, 1, 50) : 0;
	m->pause_ms = (unsigned)rnd_range(r, 1, 10);
	m->pause_left = rnd_range(r, 0, 300) * MSEC;
	m->sndbuf = one_in(r, 4) ? (int)rnd_range(r, 2048, 300000) : 0;
	m->rcvbuf = one_in(r, 4) ? (int)rnd_range(r, 2048, 300000) : 0;
}

static void draw_request(struct exchange *x, uint64_t *r)
{
	static const char *const methods[] = { "GET", "GET", "GET", "GET", "HEAD", "POST", "POST",
					       "PUT", "DELETE", "OPTIONS" };
	enum framing f = NO_BODY;

	x->method = methods[rnd(r) % 10];
	x->head = !strcmp(x->method, "HEAD");
	if (x->method[0] == 'P')
		f = one_in(r, 2) ? CHUNKED : BY_LENGTH;
	draw_body(&x->request, r, f);
	x->expect = f != NO_BODY && one_in(r, 4);
	x->early = f != NO_BODY && one_in(r, 4);
	x->fillers = one_in(r, 2) ? (unsigned)rnd_range(r, 1, 30) : 0;
}

static void draw_response(struct exchange *x, uint64_t *r, bool http10)
{
	static const int statuses[] = { 200, 200, 200, 200, 200, 201, 204, 304, 404, 500 };
	static const enum framing framings[] = { BY_LENGTH, BY_LENGTH, BY_LENGTH, CHUNKED, CHUNKED,
						 CHUNKED, TO_CLOSE };
	enum framing f = framings[rnd(r) % 7];

	x->status = statuses[rnd(r) % 10];
	if (http10 && f == CHUNKED)
		f = BY_LENGTH;
	draw_body(&x->response, r, f);
	if (limits.no_hints && x->expect)
		x->early = false;
	/* A response that must end before the request does would be another test. */
	if (x->early && !x->response.size)
		x->response.size = 1;
	x->hints = !http10 && !limits.no_hints && one_in(r, 6) ? (unsigned)rnd_range(r, 1, 2) : 0;
	x->origin_close = f == TO_CLOSE || one_in(r, 12);
	x->break_at = NEVER;
	x->excess = limits.excess && one_in(r, 10) && x->response.size < 8000 && f != TO_CLOSE;
	if (!x->excess && one_in(r, 12)) {
		x->break_at = one_in(r, 3) ? rnd_range(r, 0, 300) :
					     rnd_range(r, 0, x->response.size + 100);
		x->break_rst = one_in(r, 2);
		if (limits.retries && one_in(r, 2))
			x->break_at = 0;
	}
}

static void draw_tunnel(struct exchange *x, uint64_t *r)
{
	x->method = "GET";
	x->head = x->expect = x->early = x->excess = false;
	x->hints = 0;
	x->status = 101;
	x->break_at = NEVER;
	draw_body(&x->request, r, TUNNEL);
	draw_body(&x->response, r, TUNNEL);
}

void plan_draw(uint32_t number, struct plan *p, struct exchange *x)
{
	uint64_t r = limits.seed ^ ((uint64_t)number << 20);
	uint64_t most = 0;

	memset(p, 0, sizeof(*p));
	memset(x, 0, MAX_EXCHANGES * sizeof(*x));
	p->exchanges = (unsigned)rnd_range(&r, 1, MAX_EXCHANGES);
	p->depth = one_in(&r, 3) ? (unsigned)rnd_range(&r, 2, 8) : 1;
	p->http10 = !limits.http11_only && one_in(&r, 12);
	for (unsigned i = 0; i < p->exchanges; i++) {
		draw_request(&x[i], &r);
		draw_response(&x[i], &r, p->http10);
		draw_manner(&x[i].origin, &r, x[i].request.size + x[i].response.size);
		most = x[i].request.size > most ? x[i].request.size : most;
		most = x[i].response.size > most ? x[i].response.size : most;
		if (p->http10 && x[i].request.framing == CHUNKED)
			x[i].request.framing = BY_LENGTH;
		if (p->http10 || (x[i].request.framing == BY_LENGTH && !x[i].request.size))
			x[i].expect = false;
	}
	if (!p->http10 && one_in(&r, 10))
		draw_tunnel(&x[p->exchanges - 1], &r);
	x[p->exchanges - 1].client_close = one_in(&r, 3) && x[p->exchanges - 1].status != 101;
	p->half_close = !limits.no_half_close && one_in(&r, 10) && x[p->exchanges - 1].status != 101;
	draw_manner(&p->client, &r, most);
	p->break_at = NEVER;
	if (one_in(&r, 5)) {
		p->break_index = (unsigned)rnd_range(&r, 0, p->exchanges - 1);
		p->break_sending = one_in(&r, 3);
		p->break_rst = one_in(&r, 2);
		p->break_at = rnd_range(&r, 0, 200 + (p->break_sending ?
				x[p->break_index].request.size : x[p->break_index].response.size));
	}
}
