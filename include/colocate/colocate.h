/* SPDX-License-Identifier: BSD-2-Clause */
/* penstock colocate: connections between programs of this machine pass their data from sender to
 * receiver, without TCP (doc/kernel.md). What is enabled stays when the command is over: programs
 * and maps are pinned in a folder of a BPF file system. */
#ifndef COLOCATE_COLOCATE_H
#define COLOCATE_COLOCATE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct colocate_wish {
	const char *cgroup; /* of the programs whose connections are meant */
	const char *pins;   /* the folder, which is made */
	uint8_t ports[65536];
	unsigned ring_kbytes, connections;
	unsigned readers; /* COLOCATE_LEVEL and its like */
	bool loopback_only;
};

/* Each: 0, or -1 with a sentence. */

/* Refuses what is enabled there already, and a control group where others have such programs.
 * What fails leaves nothing behind. */
int colocate_enable(const struct colocate_wish *wish, struct err *err);
/* Prints a line a fact: "name: value". -1 behind them: the control group is gone. */
int colocate_status(const char *pins, FILE *out, struct err *err);
/* No data go past TCP from now on; what is queued is still read. Sets the number of connections
 * that were paired. */
int colocate_disable(const char *pins, unsigned *left, struct err *err);

/* penstock colocate WORDS...: the exit code of the program. */
int colocate_command(int count, char **words);
/* "help colocate": its words on standard output; false: the word is another one. */
bool colocate_help(const char *word);

#endif
