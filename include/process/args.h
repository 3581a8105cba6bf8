/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: a table of options that fills one struct. Nothing is done here. */
#ifndef PROCESS_ARGS_H
#define PROCESS_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct err;

struct args_list {
	const char **items;
	size_t count;
};

/* All strings are those of argv. */
struct args {
	struct args_list paths;  /* -f and what follows --: files and folders, in order */
	const char *directory;   /* -C */
	bool check;              /* -c */
	bool check_condition;    /* -cc */
	const char *condition;
	bool json;               /* --format json */
	bool debug;              /* -d */
	bool foreground;         /* -db */
	bool daemon;             /* -D */
	bool master;             /* -W, -Ws */
	const char *parent_socket; /* -S: an address, then words of bind lines, commas between */
	bool quiet, verbose;     /* -q, -V */
	bool diagnose;           /* -dD */
	bool zero_warning;       /* -dW */
	bool no_splice;          /* -dS */
	bool no_server_verify;   /* -dV */
	bool no_poll;            /* -dp: there is no such poller here, epoll serves */
	bool no_getaddrinfo;     /* -dG */
	bool ignore_resolution;  /* -dr */
	bool list_libraries;     /* -dL */
	bool insecure_fork;      /* -dI */
	unsigned memory;         /* -dM: MEMORY_* to be on */
	unsigned memory_off;     /* ... and off, whatever the build says */
	unsigned char poison;    /* -dM<byte> */
	const char *fail_file;   /* -dMfail:<file>, or NULL */
	const char *dump;        /* -dK: classes, comma separated */
	int maxconn;             /* -n; 0: not given */
	int proxy_maxconn;       /* -N; 0: not given */
	int megabytes;           /* -m; 0: not given */
	const char *pidfile;     /* -p */
	const char *local_peer;  /* -L */
	const char *old_socket;  /* -x */
	pid_t *old_pids;         /* -sf, -st */
	size_t old_count;
	int old_signal;          /* SIGUSR1 or SIGTERM; 0: none given */
	int version;             /* -v 1, -vv 2 */
	bool help;               /* --help */
	bool help_word;          /* help WORD... */
	bool explain, test;      /* explain WORD..., test WORD... */
	struct args_list words;  /* those of help, explain, test */
};

/* Fills *args from the command line; what it allocates belongs to args_free. 0, or -1 and
 * err: one sentence that names the option. */
int args_parse(struct args *args, int argc, char **argv, struct err *err);
void args_free(struct args *args);

/* All options with one line each. */
void args_usage(FILE *out);

#endif
