/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wire [options] TEST [words]: what a relay puts on the wire. Client and server at once around it,
 * like reg-tests/relay/relaytest (same options), with libpcap listening on lo.
 *
 * Prints a line for each claim and exits with 0 when all of them hold, with 77 when it may not
 * capture.
 */
#include "../relay/relaytest.h"

#include <errno.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PACKETS 4096

/* One segment, as one of the relay's four directions saw it. */
struct packet {
	enum way { FROM_CLIENT, TO_CLIENT, FROM_SERVER, TO_SERVER } way;
	uint8_t flags;
	uint16_t mss;     /* 0: no such option */
	uint32_t seq;
	size_t len;       /* of the payload */
	char start[128];  /* of the payload */
};

static const char *const way_names[] = { "from the client", "to the client", "from the server",
					 "to the server" };
static pcap_t *capture;
static struct packet packets[MAX_PACKETS];
static unsigned n_packets;
static int front_port, back_port;

/* ---- capturing ---- */

static uint16_t mss_option(const uint8_t *at, const uint8_t *end)
{
	while (at < end && *at != TCPOPT_EOL) {
		if (*at == TCPOPT_MAXSEG && end - at >= 4)
			return (uint16_t)(at[2] << 8 | at[3]);
		if (*at != TCPOPT_NOP && (end - at < 2 || at[1] < 2))
			break;
		at += *at == TCPOPT_NOP ? 1 : at[1];
	}
	return 0;
}

static void note(u_char *unused, const struct pcap_pkthdr *h, const u_char *bytes)
{
	const struct iphdr *ip = (const struct iphdr *)(bytes + sizeof(struct ether_header));
	const struct tcphdr *tcp = (const struct tcphdr *)((const char *)ip + ip->ihl * 4);
	const uint8_t *payload = (const uint8_t *)tcp + tcp->doff * 4;
	struct packet *p = &packets[n_packets];
	size_t have = h->caplen - (size_t)(payload - bytes);
	int from = ntohs(tcp->source), to = ntohs(tcp->dest);

	(void)unused;
	if (n_packets == MAX_PACKETS)
		return;
	memset(p, 0, sizeof(*p));
	p->way = to == front_port ? FROM_CLIENT : from == front_port ? TO_CLIENT :
		 from == back_port ? FROM_SERVER : TO_SERVER;
	p->flags = tcp->th_flags;
	p->seq = ntohl(tcp->seq);
	p->len = (size_t)(ntohs(ip->tot_len) - ip->ihl * 4 - tcp->doff * 4);
	p->mss = mss_option((const uint8_t *)(tcp + 1), payload);
	memcpy(p->start, payload, have < sizeof(p->start) ? have : sizeof(p->start));
	n_packets++;
}

static void listen_on_wire(void)
{
	char error[PCAP_ERRBUF_SIZE], filter[64];
	struct bpf_program program;

	front_port = ntohs(((struct sockaddr_in *)&opt.front.ss)->sin_port);
	back_port = sock_port(opt.listener);
	snprintf(filter, sizeof(filter), "tcp port %d or tcp port %d", front_port, back_port);
	capture = pcap_create("lo", error);
	if (!capture)
		die("pcap: %s", error);
	pcap_set_snaplen(capture, 256);
	pcap_set_immediate_mode(capture, 1);
	pcap_set_buffer_size(capture, 8 << 20);
	if (pcap_activate(capture) < 0) {
		printf("no right to capture: %s\n", pcap_geterr(capture));
		exit(77);
	}
	if (pcap_compile(capture, &program, filter, 1, PCAP_NETMASK_UNKNOWN) ||
	    pcap_setfilter(capture, &program) || pcap_setnonblock(capture, 1, error))
		die("pcap: %s", pcap_geterr(capture));
	pcap_freecode(&program);
}

/* Reads what was captured; lo delivers it before the receiver sees it. */
static void read_wire(void)
{
	while (pcap_dispatch(capture, -1, note, NULL) > 0)
		;
}

/* ---- looking ---- */

/* The first packet from `start` on of that way which has one of the flags (0: any) and at least
 * `len` bytes of payload; -1 when there is none. */
static int find(unsigned start, enum way way, uint8_t flags, size_t len)
{
	for (unsigned i = start; i < n_packets; i++)
		if (packets[i].way == way && (!flags || (packets[i].flags & flags)) &&
		    packets[i].len >= len)
			return (int)i;
	return -1;
}

/* Waits for such a packet; -1 when it does not come. */
static int await(enum way way, uint8_t flags, size_t len)
{
	uint64_t until = now_ns() + PATIENCE_MS * MSEC;
	int i;

	do {
		read_wire();
		i = find(0, way, flags, len);
		if (i >= 0)
			return i;
		poll(NULL, 0, 2);
	} while (now_ns() < until);
	return -1;
}

static void print_wire(void)
{
	for (unsigned i = 0; i < n_packets && i < 60; i++) {
		const struct packet *p = &packets[i];

		printf("#   %-15s %c%c%c%c%c %zu\n", way_names[p->way], p->flags & TH_SYN ? 'S' : '.',
		       p->flags & TH_FIN ? 'F' : '.', p->flags & TH_RST ? 'R' : '.',
		       p->flags & TH_PUSH ? 'P' : '.', p->flags & TH_ACK ? 'A' : '.', p->len);
	}
}

static bool no_reset(void)
{
	bool ok = true;

	for (int way = FROM_CLIENT; way <= TO_SERVER; way++)
		ok &= find(0, (enum way)way, TH_RST, 0) < 0;
	return expect(ok, "nobody is reset");
}

/* ---- the tests ---- */

/* A transfer in both directions, one of which ends first: FIN passes behind the last byte. */
static bool orderly(bool client_first)
{
	struct ends e = ends_open(0);
	struct flow f[2] = {
		{ .from = e.client, .to = e.server, .seed = 1, .total = 300000, .fin = true },
		{ .from = e.server, .to = e.client, .seed = 2, .total = 200000, .fin = true },
	};
	enum way out = client_first ? TO_SERVER : TO_CLIENT;
	int fin, late;
	bool ok;

	n_packets = 0;
	ok = expect_flows(&f[!client_first], 1, "the first to end");
	fin = await(out, TH_FIN, 0);
	ok &= expect(fin >= 0, "FIN goes out %s", way_names[out]);
	ok &= expect(find(0, client_first ? TO_CLIENT : TO_SERVER, TH_FIN, 0) < 0,
		     "and not to the other side");
	late = fin < 0 ? -1 : find((unsigned)fin + 1, out, 0, 1);
	ok &= expect(late < 0, "no byte comes behind it");
	ok &= expect_flows(&f[client_first], 1, "the other direction goes on");
	ends_close(&e);
	poll(NULL, 0, 20);
	read_wire();
	return no_reset() && ok;
}

static bool test_fin_order(void)
{
	bool ok = orderly(true);

	return orderly(false) && ok;
}

static bool test_rst_to_client(void)
{
	struct ends e = ends_open(0);
	bool ok = one_exchange(e.server, e.client, 100000);

	sock_linger_zero(e.server);
	close(e.server);
	e.server = -1;
	ok &= expect(await(FROM_SERVER, TH_RST, 0) >= 0, "the server sends RST");
	ok &= expect(await(TO_CLIENT, TH_RST, 0) >= 0, "the client gets RST");
	ok &= expect(find(0, TO_CLIENT, TH_FIN, 0) < 0, "and no FIN");
	ends_close(&e);
	return ok;
}

static bool test_rst_to_server(void)
{
	struct ends e = ends_open(0);
	bool ok = one_exchange(e.client, e.server, 100000);

	sock_linger_zero(e.client);
	close(e.client);
	e.client = -1;
	ok &= expect(await(TO_SERVER, TH_RST, 0) >= 0, "the server gets RST");
	ends_close(&e);
	return ok;
}

/* Everything rests until the relay's timeout: it closes with RST, as option nolinger
 * wants, towards WORD (client or server); towards the other with FIN. */
static bool test_nolinger(void)
{
	bool client = opt.n_args && !strcmp(opt.args[0], "client");
	enum way way = client ? TO_CLIENT : TO_SERVER, other = client ? TO_SERVER : TO_CLIENT;
	struct ends e = ends_open(0);
	bool ok = one_exchange(e.client, e.server, 1000) && one_exchange(e.server, e.client, 1000);

	ok &= expect(await(way, TH_RST, 0) >= 0, "RST goes out %s", way_names[way]);
	ok &= expect(await(other, TH_FIN, 0) >= 0 && find(0, other, TH_RST, 0) < 0,
		     "and FIN %s", way_names[other]);
	ends_close(&e);
	return ok;
}

/* A client that connects and speaks at once; the bind line is to have defer-accept, so that its
 * data are there when the server is reached. Returns where the first data to the server are, or -1;
 * `want` is the PROXY line with the data. A machine that is busy elsewhere may let the kernel lose
 * its patience in between, so that the claims below are about one of several. */
static int speak_first(char want[128])
{
	static const char data[] = "first data of the client";
	int server, at, client = sock_connect(&opt.front, true);
	struct pollfd p = { .fd = client, .events = POLLOUT };

	n_packets = 0;
	poll(&p, 1, PATIENCE_MS);
	snprintf(want, 128, "PROXY TCP4 127.0.0.1 127.0.0.1 %d %d\r\n%s", sock_port(client),
		 front_port, data);
	put_bytes(client, data, sizeof(data) - 1, 0);
	server = ends_accept(PATIENCE_MS);
	at = await(TO_SERVER, 0, 1);
	close(client);
	close(server);
	return at;
}

enum { TRIES = 20 };

static bool test_proxy_line(void)
{
	char want[128];
	bool together = false;
	int at = -1;

	for (int i = 0; i < TRIES && !together; i++) {
		at = speak_first(want);
		together = at >= 0 && packets[at].len == strlen(want) &&
			   !memcmp(packets[at].start, want, strlen(want));
	}
	return expect(together, "the first segment with data is PROXY line and data: \"%.60s\"",
		      at < 0 ? "" : packets[at].start);
}

/* What the server's side begins with behind the header. */
static bool begins_behind(const struct packet *p, size_t header, const char *text)
{
	return p->len > header + strlen(text) && header + strlen(text) <= sizeof(p->start) &&
	       !memcmp(p->start + header, text, strlen(text));
}

/* The length of a PROXY header of either version at the packet's start; 0: there is none. */
static size_t header_length(const struct packet *p)
{
	const char *lf = memchr(p->start, '\n', sizeof(p->start));

	if (p->len > 28 && !memcmp(p->start, "\r\n\r\n\0\r\nQUIT\n\x21\x11", 14))
		return 16u + (uint8_t)p->start[14] * 256u + (uint8_t)p->start[15];
	return lf && !memcmp(p->start, "PROXY TCP4 ", 11) ? (size_t)(lf + 1 - p->start) : 0;
}

/* The first data to the server are a PROXY header and, in the same segment, WORD: what the relay
 * makes of a request. */
static bool test_proxy_header(void)
{
	static const char request[] = "GET /first HTTP/1.1\r\nHost: a\r\n\r\n";
	const char *wanted = opt.n_args ? opt.args[0] : "GET /first";
	bool together = false;
	size_t len = 0;
	int at = -1;

	for (int i = 0; i < TRIES && !together; i++) {
		int server, client = sock_connect(&opt.front, true);
		struct pollfd p = { .fd = client, .events = POLLOUT };

		n_packets = 0;
		poll(&p, 1, PATIENCE_MS);
		put_bytes(client, request, sizeof(request) - 1, 0);
		server = ends_accept(PATIENCE_MS);
		at = await(TO_SERVER, 0, 1);
		close(client);
		close(server);
		len = at < 0 ? 0 : header_length(&packets[at]);
		together = len && begins_behind(&packets[at], len, wanted);
	}
	return expect(together, "the first segment with data is a header of %zu bytes and \"%s\"", len,
		      wanted);
}

/* option tcp-smart-connect: no bare ACK between the handshake and the first data. With "no" there
 * always is one. */
static bool test_smart_connect(void)
{
	bool bare_wanted = opt.n_args && !strcmp(opt.args[0], "no"), bare = !bare_wanted;
	char want[128];
	int at = -1;

	for (int i = 0; i < (bare_wanted ? 1 : TRIES) && bare != bare_wanted; i++) {
		speak_first(want);
		at = find(0, FROM_SERVER, TH_SYN, 0);
		at = at < 0 ? at : find((unsigned)at + 1, TO_SERVER, 0, 0);
		bare = at >= 0 && packets[at].len == 0;
	}
	return expect(at >= 0 && bare == bare_wanted,
		      "the handshake with the server ends with a segment of %zu bytes",
		      at < 0 ? 0 : packets[at].len);
}

/* An HTTP request with its answer, after which the client closes. The index of the segment that has
 * the end of the answer, or -1. */
static int http_exchange(const char *request)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
	int server, at = -1, client = sock_connect(&opt.front, true);
	struct pollfd p = { .fd = client, .events = POLLOUT };
	char buf[1024];

	n_packets = 0;
	poll(&p, 1, PATIENCE_MS);
	put_bytes(client, request, strlen(request), 0);
	server = ends_accept(PATIENCE_MS);
	p = (struct pollfd){ .fd = server, .events = POLLIN };
	if (server >= 0 && poll(&p, 1, PATIENCE_MS) == 1 && recv(server, buf, sizeof(buf), 0) > 0) {
		put_bytes(server, answer, sizeof(answer) - 1, 0);
		at = await(TO_CLIENT, 0, 5);
		await(TO_CLIENT, TH_FIN, 0);
		await(TO_SERVER, TH_FIN | TH_RST, 0);
	}
	close(client);
	close(server);
	return at;
}

/* A connection that a request asks to close: the FIN leaves with the last bytes of the answer, the
 * request was acknowledged by them, and the server's connection goes without waiting (TIME_WAIT);
 * but a server that may still be reading a body is not reset. */
static bool test_http_close(void)
{
	bool together = false, ok;
	int at = -1;

	for (int i = 0; i < TRIES && !together; i++) {
		at = http_exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
		together = at >= 0 && packets[at].flags & TH_FIN &&
			   find(0, TO_CLIENT, TH_ACK, 0) == find(0, TO_CLIENT, TH_SYN, 0) &&
			   at == find((unsigned)find(0, TO_CLIENT, TH_SYN, 0) + 1, TO_CLIENT, 0, 0);
	}
	ok = expect(together, "answer, FIN and the request's ACK are one segment");
	ok &= expect(find(0, TO_SERVER, TH_RST, 0) >= 0 && find(0, TO_SERVER, TH_FIN, 0) < 0,
		     "the server is reset behind a request without body");
	http_exchange("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc");
	return expect(find(0, TO_SERVER, TH_FIN, 0) >= 0 && find(0, TO_SERVER, TH_RST, 0) < 0,
		      "and gets FIN behind one with a body") && ok;
}

/* A client whose request is not complete may wait for an acknowledgement before it sends the rest:
 * there is one at once, before the relay goes on. */
static bool test_http_ack(void)
{
	static const char head[] = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n";
	int client = sock_connect(&opt.front, true), syn, ack, request;
	struct pollfd p = { .fd = client, .events = POLLOUT };

	n_packets = 0;
	poll(&p, 1, PATIENCE_MS);
	put_bytes(client, head, sizeof(head) - 1, 0);
	syn = await(TO_SERVER, TH_SYN, 0);
	request = find(0, FROM_CLIENT, 0, sizeof(head) - 1);
	ack = request < 0 ? -1 : find((unsigned)request, TO_CLIENT, TH_ACK, 0);
	close(client);
	return expect(syn >= 0 && ack >= 0 && ack < syn,
		      "a request is acknowledged while its body is missing");
}

/* The MSS that the relay offers to clients, WORD. */
static bool test_mss(void)
{
	struct ends e = ends_open(0);
	int i = await(TO_CLIENT, TH_SYN, 0);

	ends_close(&e);
	return expect(i >= 0 && packets[i].mss == (opt.n_args ? atoi(opt.args[0]) : 0),
		      "the relay offers segments of %d bytes", i < 0 ? 0 : packets[i].mss);
}

static const struct {
	const char *name;
	bool (*run)(void);
	const char *what;
} tests[] = {
	{ "fin-order", test_fin_order, "FIN passes behind the last byte, alone, without resets" },
	{ "rst-to-client", test_rst_to_client, "a server's RST reaches the client as RST" },
	{ "rst-to-server", test_rst_to_server, "a client's RST reaches the server as RST" },
	{ "nolinger", test_nolinger, "connections are closed by RST (WORD: client or server)" },
	{ "proxy-line", test_proxy_line, "the PROXY line leaves with the first data" },
	{ "proxy-header", test_proxy_header, "a PROXY header leaves with WORD behind it" },
	{ "smart-connect", test_smart_connect, "the handshake's last ACK waits for data (or \"no\")" },
	{ "http-close", test_http_close, "how HTTP connections are closed" },
	{ "http-ack", test_http_ack, "requests that are not complete are acknowledged" },
	{ "mss", test_mss, "the segment size offered to clients is WORD" },
};

static void usage(void)
{
	puts("usage: wire -f FRONT -b BACK TEST [WORD]");
	for (unsigned i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		printf("  %-14s %s\n", tests[i].name, tests[i].what);
	exit(1);
}

int main(int argc, char **argv)
{
	options_read(argc, argv, usage);
	for (unsigned i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		if (strcmp(tests[i].name, argv[optind]) || opt.listener < 0)
			continue;
		printf("# %s: %s\n", tests[i].name, tests[i].what);
		listen_on_wire();
		tests[i].run();
		if (failures)
			print_wire();
		pcap_close(capture);
		return failures ? 1 : 0;
	}
	usage();
}
