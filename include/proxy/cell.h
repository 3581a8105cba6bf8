/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lies in the cells of the segment (share/segment.h): of each object the tally of a process,
 * and in row 0 beside it the facts that one process knows for all (proxy/facts.h). Numbers and
 * text, no pointers. The size of a cell follows from these structures, and so does the hash of
 * their layout: an image of the program takes over no cells that it would read otherwise.
 */
#ifndef PROXY_CELL_H
#define PROXY_CELL_H

#include "proxy/proxy.h"
#include "tally/tallies.h"

enum { FACT_NAME_SIZE = 256 }; /* of a host: RFC 1035 2.3.4 */

/* struct addr without a pointer. */
struct fact_addr {
	uint16_t family, port;
	uint32_t scope_id;
	uint8_t bytes[16];
};

struct fact_check {
	uint8_t status, cause, running;
	uint16_t error;
	int32_t code;
	uint32_t duration_ms;
	char said[CHECK_SAID_SIZE];
};

/* Where a check or agent is asked, and where the configuration had it. */
struct fact_target {
	struct fact_addr addr, conf_addr;
	uint16_t port, conf_port;
};

struct check_facts {
	_Atomic uint32_t sequence; /* 0: never written; odd: being written */
	int32_t health;
	uint8_t agent_down;
	struct fact_check check, agent;
};

struct state_facts {
	_Atomic uint32_t sequence;
	uint8_t op, admin, disabled, check_paused, agent_paused;
	uint32_t user_weight, maxconn;
	uint32_t conf_weight, conf_maxconn; /* what the configuration said then */
	uint32_t down_transitions;
	uint64_t changed_ms, downtime_ms, warm_ms, eject_until_ms;
	uint32_t ejections;
	struct fact_addr addr, conf_addr;
	uint32_t conf_name;        /* hash of the name in the configuration that is asked for; 0: none */
	char hostname[FACT_NAME_SIZE]; /* the host in its place; empty: none */
	struct fact_target check, agent;
	uint8_t tls, conf_tls;
	uint8_t port_follows, conf_follows; /* then the port of addr, of conf_addr is an offset */
};

/* Of a backend. */
struct backend_facts {
	_Atomic uint32_t sequence;
	uint32_t down_transitions;
	uint64_t changed_ms, downtime_ms;
	uint8_t unpublished, conf_unpublished; /* now; what the configuration said then */
};

/* The tally stands first: what points to it points to the cell. Facts begin on a cache line of
 * their own. */
struct server_cell {
	struct server_tally tally;
	_Alignas(64) struct check_facts checks;
	struct state_facts state;
	_Atomic uint32_t errors; /* in a row, that the traffic of all processes has shown: any writes it */
};

/* Of a frontend or a backend. */
struct proxy_cell {
	struct proxy_tally tally;
	_Alignas(64) struct backend_facts state;
};

union cell {
	struct server_cell server;
	struct proxy_cell proxy;
	struct listener_tally listener;
	struct global_tally global;
};

/* The layout of all of it, for segment_cells. */
uint64_t cell_layout(void);

#endif
