/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel knows of the streams that it passes on: bytes, times, queues. Asked by the other
 * files of the kernel relay, and by whoever shows and counts. */
#include "kernel/way.h"

#include "base/clock.h"
#include "net/sock.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#ifndef SO_BUF_LOCK /* Linux 5.15 */
#define SO_BUF_LOCK 72
#endif
enum { LOCK_RECEIVE = 2 };

struct kernel_stats kernel_stats;
struct kernel_machine kernel_machine;
struct kernel_all kernel_all = {
	.living = LIST_INIT(kernel_all.living),
	.relays = POOL_INIT("kernel relay", sizeof(struct kernel_relay)),
	.wanted = POOL_INIT("kernel wanted", sizeof(struct kernel_wanted)),
};

bool kernel_is_possible(void)
{
	return kernel_all.ways != NULL;
}

bool kernel_ask(const struct end *end, struct tcp_info *info)
{
	socklen_t len = sizeof(*info);

	*info = (struct tcp_info){ 0 };
	return end->ops && !getsockopt(end_socket(end)->src.fd, IPPROTO_TCP, TCP_INFO, info, &len);
}

uint64_t kernel_queued(const struct end *end)
{
	int queued = 0;

	return ioctl(end_socket(end)->src.fd, SIOCOUTQ, &queued) < 0 ? 0 : (uint64_t)queued;
}

uint64_t kernel_unread(const struct end *end)
{
	int unread = 0;

	return ioctl(end_socket(end)->src.fd, SIOCINQ, &unread) < 0 ? 0 : (uint64_t)unread;
}

uint64_t kernel_receive_size(const struct end *end)
{
	int size = 0;
	socklen_t len = sizeof(size);

	getsockopt(end_socket(end)->src.fd, SOL_SOCKET, SO_RCVBUF, &size, &len);
	return (uint64_t)size;
}

/* The kernel makes a receive buffer larger while we read fast, by megabytes at once on the
 * loopback. One that is told grows no more. It is never made smaller: the kernel would drop what
 * is on its way. */
void kernel_receive_bound(const struct end *end)
{
	int fd = end_socket(end)->src.fd, bits = 0;
	uint64_t want = 2 * kernel_machine.receive_limit;
	socklen_t len = sizeof(bits);
	bool knows = !getsockopt(fd, SOL_SOCKET, SO_BUF_LOCK, &bits, &len);

	if (bits & LOCK_RECEIVE)
		return; /* tune.rcvbuf.*, or an earlier takeover */
	if (want > KERNEL_RECEIVE)
		want = KERNEL_RECEIVE;
	if (kernel_receive_size(end) < want) {
		sock_wish(fd, SOL_SOCKET, SO_RCVBUF, (int)(want / 2)); /* the kernel doubles it */
	} else if (knows) {
		bits |= LOCK_RECEIVE;
		setsockopt(fd, SOL_SOCKET, SO_BUF_LOCK, &bits, sizeof(bits));
	}
}

/* ---- bytes --------------------------------------------------------------------------------- */

void way_count(struct kernel_way *way)
{
	uint64_t relayed = way_shared(&way->route->relayed);
	uint64_t passed = way_shared(&way->route->passed);

	kernel_stats.bytes += relayed - way->counted;
	kernel_stats.passed += passed - way->counted_passed;
	way->counted = relayed;
	way->counted_passed = passed;
}

/* What is acknowledged is asked first: what is acknowledged in between is then missing in the sum,
 * never counted twice. */
void way_look(struct kernel_way *way, struct tcp_info *info)
{
	uint64_t in_queue, left;

	if (!kernel_ask(way->pump->to, info))
		return;
	in_queue = info->tcpi_bytes_acked + kernel_queued(way->pump->to);
	left = in_queue - way->left_base - way_sent(way);
	if ((int64_t)(left - way->left) > 0)
		way->left = left;
}

/* Whether more has left is asked only where something waits. */
static void way_look_behind(struct kernel_way *way, uint64_t relayed)
{
	struct tcp_info info;

	if (way->left < relayed)
		way_look(way, &info);
}

bool way_drained(struct kernel_way *way)
{
	uint64_t relayed = way_shared(&way->route->relayed);

	way_look_behind(way, relayed);
	return way->left >= relayed;
}

bool way_complete(struct kernel_way *way, bool ended)
{
	uint64_t seen = way_shared(&way->route->relayed) + way_shared(&way->route->passed);
	struct tcp_info info;

	if (!kernel_ask(way->pump->from, &info))
		return false;
	return info.tcpi_bytes_received - way->received_base - ended == seen - way->skipped;
}

uint64_t kernel_relayed(const struct pump *pump)
{
	uint64_t before = kernel_wanted_by(pump)->bypass.relayed[pump->is_response], relayed;
	struct kernel_way *way;

	if (!(pump->odd & ODD_KERNEL))
		return before;
	way = kernel_way_of(pump);
	relayed = way_shared(&way->route->relayed);
	way_look_behind(way, relayed);
	return before + (way->left < relayed ? way->left : relayed);
}

void kernel_count(void)
{
	struct kernel_relay *k;
	int i;

	list_for_each(k, &kernel_all.living, node)
		for (i = 0; i < 2; i++)
			if (k->ways[i].pump)
				way_count(&k->ways[i]);
}

/* ---- times --------------------------------------------------------------------------------- */

static void later_ms(uint32_t *stamp, uint32_t ago)
{
	uint32_t then = (uint32_t)clock_now_ms - ago;

	if ((int32_t)(then - *stamp) > 0)
		*stamp = then;
}

/* What has come has gone on at once, but where some of it waits here. When the target has sent is
 * asked for only then: the kernel counts what it sends again to a peer that is gone. */
static void pump_look_back(struct pump *pump)
{
	struct sockmap_route *route = pump->odd & ODD_KERNEL ? kernel_way_of(pump)->route : NULL;
	struct tcp_info info;
	bool waits;

	if (!route || !way_shared(&route->relayed))
		return;
	waits = way_shared(&route->passed) != route->forwarded;
	if (!kernel_ask(pump->from, &info))
		return;
	later_ms(&pump->read_ms, info.tcpi_last_data_recv);
	if (!waits)
		later_ms(&pump->write_ms, info.tcpi_last_data_recv);
	else if (kernel_ask(pump->to, &info))
		later_ms(&pump->write_ms, info.tcpi_last_data_sent);
}

void kernel_look(struct relay *relay)
{
	pump_look_back(&relay->request);
	pump_look_back(&relay->response);
}
