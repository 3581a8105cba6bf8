/* SPDX-License-Identifier: BSD-2-Clause */
/* An end (relay/end.h) that is an applet, or that is not there. */
#include "relay/end.h"

uint16_t end_ready_for_nothing;
void (*relay_notice)(struct relay *relay, struct pump *pump);

void end_set_applet(struct end *end, const struct end_ops *ops, void *applet, uint16_t *flags,
		    struct framing *framing)
{
	end->ops = ops;
	end->framing = framing;
	end->below = applet;
	end->flags = flags;
}
