/* SPDX-License-Identifier: BSD-2-Clause */
/* What each exchange of the random mix does (exchange/mix.h). */
#include "exchange/mix.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct mix_round mix_round;
uint64_t mix_moved;

static uint64_t order; /* of the round */

static uint64_t scatter(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static unsigned draw(uint64_t *state, unsigned below)
{
	*state += 0x9e3779b97f4a7c15u;
	return (unsigned)((scatter(*state) >> 16) % below);
}

unsigned mix_rnd(unsigned below)
{
	if (!order)
		order = scatter(mix_round.seed + 1) | 1;
	return draw(&order, below);
}

char mix_byte(unsigned id, bool response, size_t at)
{
	uint64_t x = (at / 11 + id * 2u + response) * 0x9e3779b97f4a7c15u;

	return (char)('!' + ((x >> 40) + at) % 90);
}

static size_t draw_size(uint64_t *state)
{
	static const size_t edges[] = { 0, 1, 15, 100, 1460, 4096, 15360, 16383, 16384, 16385, 70000 };

	switch (draw(state, 4)) {
	case 0:
		return edges[draw(state, sizeof(edges) / sizeof(*edges))];
	case 1:
		return draw(state, 200001);
	default:
		return draw(state, 3000);
	}
}

static void draw_answer(struct mix_plan *p, uint64_t *state)
{
	static const unsigned statuses[] = { 200, 200, 200, 200, 200, 404, 500, 302, 206, 204, 304 };
	static const enum mix_frame frames[] = { MIX_LENGTH, MIX_LENGTH, MIX_CHUNKED, MIX_CLOSE };

	p->status = statuses[draw(state, sizeof(statuses) / sizeof(*statuses))];
	p->answers = frames[draw(state, 4)];
	p->answered = draw_size(state);
	p->interims = draw(state, 8) ? 0 : 1 + draw(state, 40);
	p->early = draw(state, 8) == 0;
	p->says_close = draw(state, 8) == 0;
	p->sly = mix_round.sly_servers && draw(state, 8) == 0;
	if (draw(state, 6))
		return;
	p->fault = (enum mix_fault)(1 + draw(state, 5));
	p->faults = 1 + draw(state, 3) % 2 * 9; /* some get over it by a retry, some never */
	p->fault_at = draw(state, 200000);
	if (p->fault == MIX_CUT && p->answers == MIX_CLOSE)
		p->answers = MIX_LENGTH; /* or it looks whole */
}

struct mix_plan mix_plan(unsigned id)
{
	static const enum method methods[] = { METHOD_GET, METHOD_GET, METHOD_GET, METHOD_POST, METHOD_POST,
					       METHOD_PUT, METHOD_HEAD };
	uint64_t state = scatter(mix_round.seed * 1000003u + id);
	struct mix_plan p = { .id = id };

	p.method = methods[draw(&state, 7)];
	p.kind = draw(&state, 6) ? MIX_PASSES : (enum mix_kind)(1 + draw(&state, 4));
	if (p.method == METHOD_POST || p.method == METHOD_PUT) {
		p.asks = draw(&state, 2) ? MIX_LENGTH : MIX_CHUNKED;
		p.asked = draw_size(&state);
		p.expects = draw(&state, 6) == 0;
	}
	p.takes_gzip = draw(&state, 3) == 0;
	p.pace = draw(&state, 4) ? 1 + draw(&state, 40000) : 1 + draw(&state, 30);
	draw_answer(&p, &state);
	return p;
}

_Noreturn void mix_found(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("FOUND, seed %llu: ", (unsigned long long)mix_round.seed);
	vprintf(format, args);
	putchar('\n');
	va_end(args);
	wires_print();
	printf("%s", mix_round.config);
	fflush(stdout);
	_exit(1);
}
