/* SPDX-License-Identifier: BSD-2-Clause */
/* Where log lines go: a datagram socket, a descriptor, a ring. Writing never waits. */
#ifndef LOG_TARGET_H
#define LOG_TARGET_H

#include "base/list.h"
#include "config/config.h"
#include "log/header.h"
#include "net/addr.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

struct err;
struct log_profile_use;
struct ring;

enum { LOG_LEN_DEFAULT = 1024, LOG_LEN_MIN = 80, LOG_LEN_MAX = 65535, LOG_RANGES = 32 };

enum log_target_kind { LOG_TO_GLOBAL, LOG_TO_DATAGRAM, LOG_TO_FD, LOG_TO_RING };

/* "sample 1,3-4:5": which of each period's lines are sent. */
struct log_sample {
	unsigned period, at; /* 0: all lines; at: of the line seen last, from 1 */
	unsigned count;
	struct {
		unsigned low, high;
	} range[LOG_RANGES];
};

struct log_target {
	struct list node;      /* all of the generation */
	struct location loc;
	const char *name;      /* the address as written */
	enum log_target_kind kind;
	enum log_format format;
	enum log_level max_level, min_level; /* numerically: highest sent, lowest sent */
	unsigned facility;
	unsigned max_len;
	struct log_sample sample;
	struct log_profile_use *profile; /* NULL: none */
	struct addr addr;      /* LOG_TO_DATAGRAM; LOG_TO_FD: addr.fd */
	const char *ring_name; /* LOG_TO_RING */
	struct ring *ring;
	/* run time */
	struct sockaddr_storage sockaddr;
	socklen_t sockaddr_len;
	int fd;                /* -1: none */
	int kept;              /* its own socket, connected before the root directory changed; 0:
				* none */
	bool journal;          /* it leads to the journal of systemd */
	bool own_fd;           /* fd was opened here */
	bool is_socket;        /* LOG_TO_FD: it is one: sendmsg instead of writev */
	bool torn;             /* the last line was cut in the middle: begin a new one */
	uint64_t sent, dropped;
	uint64_t reported;     /* of the dropped ones, those that were mentioned */
	int error;             /* errno of the last line dropped */
};

/* Makes the target ready to be written to. 0, or -1 and err. */
int log_target_open(struct log_target *t, struct err *err);
void log_target_close(struct log_target *t);
/* Is it stdin, stdout or stderr? */
bool log_target_is_standard(const struct log_target *t);
/* LOG_TO_FD: from now on the descriptor itself is written to, whatever it has become. */
void log_target_plain(struct log_target *t);
/* The root directory is about to change: the socket of a path is connected while the path can still
 * be reached. One that cannot be had, or that goes away, is looked for below the new root. */
void log_target_keep(struct log_target *t);
/* The line in n pieces, the last one being the line feed. False: it was dropped, t->error
 * says why, and it was counted. */
bool log_target_write(struct log_target *t, struct iovec *iov, int n);
/* Is this the turn of a line? Counts it. */
bool log_sample_take(struct log_sample *sample);

#endif
