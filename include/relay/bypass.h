/* SPDX-License-Identifier: BSD-2-Clause */
/* A way for the bytes of a relay on which they do not come through this process. Who provides one
 * installs the table, makes relay->bypass and sets the ODD_ bits of pumps (relay/pump.h): without
 * these nothing of the table is called. One such way is there (kernel/kernel.h). */
#ifndef RELAY_BYPASS_H
#define RELAY_BYPASS_H

#include "base/io.h"

#include <stdbool.h>
#include <stdint.h>

struct pump;
struct relay;

/* Of a relay for which somebody wants such a way; its provider makes it, and has more behind it. */
struct bypass {
	uint64_t relayed[2]; /* bytes that have left by it, before it ended: of the request, of the
			      * response. With ODD_RELAYED */
};

struct bypass_ops {
	/* A run of a pump with ODD_WAITS is over: takes the relay over if both pumps rest, and it
	 * can be. */
	void (*take)(struct relay *relay);
	/* Before the ends of the relay are closed: it has no bypass any more. */
	void (*leave)(struct relay *relay);
	/* With ODD_KERNEL. One move: forwards what was left to the process. Results as pump_move. */
	enum io (*move)(struct pump *pump);
	/* Some of what passes has not left yet; the pump is run again later. */
	bool (*waits)(struct pump *pump);
	/* Bytes that have left this way, now and before. With ODD_KERNEL or ODD_RELAYED. */
	uint64_t (*relayed)(const struct pump *pump);
	/* Brings read_ms and write_ms of both pumps up to date. */
	void (*look)(struct relay *relay);
};

/* NULL: there is no such way, and no pump has these bits. */
extern const struct bypass_ops *relay_bypass;

#endif
