/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relaytest: urgent data, and sockets that sit in somebody's sockmap.
 */
#include "relaytest.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- urgent data ---- */

/* before bytes, an urgent one, after bytes, perhaps FIN: what must arrive is before + after bytes;
 * the urgent one may be among them, at its place, or not. */
static bool urgent_one(bool up, size_t before, size_t after, bool fin)
{
	struct ends e = ends_open(0);
	int from = up ? e.client : e.server, to = up ? e.server : e.client;
	char *sent = malloc(before + after), *got = malloc(before + after + 1);
	size_t n = 0;
	double share;
	bool ok;

	if (!sent || !got)
		die("memory");
	memset(sent, 'a', before);
	memset(sent + before, 'b', after);
	ok = put_bytes(from, sent, before, 0) && put_bytes(from, "!", 1, MSG_OOB) &&
	     put_bytes(from, sent + before, after, 0);
	if (fin)
		shutdown(from, SHUT_WR);
	ok = ok && get_bytes(to, got, before + after);
	n = before + after;
	if (ok && memchr(got, '!', n))
		ok = get_bytes(to, got + n++, 1) && got[before] == '!' &&
		     memmove(got + before, got + before + 1, after);
	ok = ok && !memcmp(got, sent, before + after);
	expect(ok, "%s: %zu bytes, an urgent one, %zu bytes%s: %s", up ? "request" : "response", before,
	       after, fin ? ", FIN" : "", !ok ? "lost" : n > before + after ? "all" : "all but it");
	if (fin && wait_end(to))
		ok = expect(false, "and then the end");
	share = relay_cpu_share(100, 0.05);
	if (share > 0.05)
		ok = expect(false, "the relay is quiet afterwards (%.1f %%)", share * 100);
	if (!one_exchange(to, from, 1000))
		ok = expect(false, "the other direction works");
	free(sent);
	free(got);
	ends_close(&e);
	return ok;
}

bool test_urgent(void)
{
	static const size_t sizes[][2] = { { 1000, 1000 }, { 0, 1000 }, { 1000, 0 },
					   { 100000, 1000 }, { 1000, 200000 }, { 300000, 300000 } };
	bool ok = true;

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (unsigned v = 0; v < 4; v++)
			ok &= urgent_one(v & 1, sizes[i][0], sizes[i][1], v & 2);
	return ok;
}

/* ---- sockmap ---- */

/* Moves flow f to its end beside the capture: bytes, CPU per second while it runs. */
static bool sockmap_finish(struct flow *f, const char *what)
{
	uint64_t cpu = proc_cpu_ns(opt.relay), began = now_ns();
	bool ok = flows_run(f, 1, PATIENCE_MS);
	double used = (double)(proc_cpu_ns(opt.relay) - cpu) / 1e6;
	double took = (double)(now_ns() - began) / 1e6;
	double share;

	ok = expect(ok, "%s: %s (%.0f ms, %.0f ms of CPU)", what, flows_describe(f, 1), took, used);
	share = relay_cpu_share(200, 0.05);
	return expect(share < 0.05, "and the relay does not spin (%.1f %%)", share * 100) && ok;
}

/*
 * The source of a flow is captured. Only at moments when the relay has taken all that had come, or
 * nothing of the last segment: what the kernel does with a segment that was read in part when its
 * socket enters a sockmap is wrong with any reader.
 */
static bool sockmap_source(bool up, unsigned when)
{
	static const char *const names[] = { "before the first byte", "in mid-transfer",
					     "with five bytes to come" };
	struct ends e = ends_open(0);
	int from = up ? e.client : e.server, to = up ? e.server : e.client;
	struct flow f = { .from = from, .to = to, .seed = 7, .total = 2 << 20 };
	char what[80];
	bool ok;

	if (when > 0 && !flows_run(&f, 1, PATIENCE_MS))
		return expect(false, "before the capture: %s", flows_describe(&f, 1));
	relay_settle();
	if (!sockmap_capture(opt.relay, from))
		return false;
	f.total += when == 2 ? 5 : 8 << 20;
	f.fin = true;
	f.window = 32768; /* beyond its buffer a captured socket of some kernels mixes bytes up */
	snprintf(what, sizeof(what), "%s, captured %s", up ? "request" : "response", names[when]);
	ok = sockmap_finish(&f, what);
	ok &= expect(one_exchange(to, from, 100000), "the other direction works");
	ends_close(&e);
	return ok;
}

/*
 * The source is captured while its bytes cannot go on, more come, and only then the reader reads:
 * all that could have told of them has been told, nothing comes any more. WORD asks for this one.
 */
static bool sockmap_blocked(bool up, bool fin)
{
	struct ends e = ends_open(4096);
	int from = up ? e.client : e.server, to = up ? e.server : e.client;
	struct flow f = { .from = from, .to = to, .seed = 8, .total = 1ull << 40, .chunk = 8192 };
	char what[80];
	int left;
	bool ok;

	f.no_read = true;
	do {
		f.total = f.sent + f.chunk; /* one piece at a time, until the relay leaves one
					     * lying */
		flows_run(&f, 1, 0);
		left = sockmap_unread(opt.relay, from);
		if (left) {
			relay_settle(); /* or has it only not come to it yet? */
			left = sockmap_unread(opt.relay, from);
		}
	} while (left == 0);
	if (!sockmap_capture(opt.relay, from))
		return false;
	f.total += 100000;
	f.fin = fin;
	flows_run(&f, 1, 100);
	f.no_read = false;
	snprintf(what, sizeof(what), "%s, captured while it was blocked%s", up ? "request" : "response",
		 fin ? ", FIN" : "");
	ok = sockmap_finish(&f, what);
	ends_close(&e);
	return ok;
}

bool test_sockmap(void)
{
	bool ok = true;

	/* (Whoever copies may have read a segment in part.) */
	for (unsigned i = 0; opt.n_args && i < 4; i++)
		ok &= sockmap_blocked(i & 1, i & 2);
	for (unsigned when = 0; when < 3; when++)
		for (unsigned up = 0; up < 2; up++)
			ok &= sockmap_source(up, when);
	return ok;
}
