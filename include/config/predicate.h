/* SPDX-License-Identifier: BSD-2-Clause */
/* What conditions of the configuration ask (manual 2.4). Private to config/. */
#ifndef CONFIG_PREDICATE_H
#define CONFIG_PREDICATE_H

#include <stdbool.h>
#include <stddef.h>

struct config;

struct predicate {
	const char *name;
	int args;         /* how many it takes, at most PREDICATE_ARGS */
	const char *need; /* what is said when there are others */
	/* cfg: what has been read so far. An argument that means nothing: *wrong says so. */
	bool (*holds)(const struct config *cfg, const char *const *args, const char **wrong);
};
enum { PREDICATE_ARGS = 2 };

/* NULL: there is none of this name. */
const struct predicate *predicate_find(const char *name, size_t len);
/* All names, NULL behind the last. */
const char *predicate_name(size_t i);

#endif
