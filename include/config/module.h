/* SPDX-License-Identifier: BSD-2-Clause */
/* What a part of the program brings along: rows of words, sections, data of a generation,
 * and what it does when the configuration is complete, when the process starts and ends.
 * src/modules.c holds the one list. */
#ifndef CONFIG_MODULE_H
#define CONFIG_MODULE_H

#include <stddef.h>

struct config;
struct err;
struct keyword;
struct statement;

/* A section of the language: what begins at its name. */
struct section {
	const char *name;      /* "frontend" */
	unsigned scope;        /* enum scope of the words inside */
	/* Parses the words behind the section's name and returns the object that its words
	 * set; NULL after having reported an error (its words are then checked for
	 * spelling only). */
	void *(*begin)(struct statement *st);
	/* When the section has been read to its end; may be NULL. */
	void (*end)(struct config *cfg, void *object);
	const char *help;
};

struct module {
	const char *name;
	const struct keyword *keywords; /* last row has no name; may be NULL */
	const struct section *sections; /* last row has no name; may be NULL */
	size_t data_size;               /* of its data in a generation, zeroed; may be 0 */
	void (*init)(struct config *cfg, void *data);  /* defaults; may be NULL */
	int (*finish)(struct config *cfg, void *data); /* inheritance, cross references,
							* checks; problems are reported to the
							* diag; 0, or -1; may be NULL */
	/* What is done once, before the first process is forked that serves: files are read,
	 * addresses
	 * bound. It must not make timers or watch descriptors. 0, or -1; may be NULL */
	int (*prepare)(struct config *cfg, void *data, struct err *err);
	/* In each process that serves, before it gives up its rights. 0, or -1; may be NULL */
	int (*start)(struct config *cfg, void *data, struct err *err);
	/* In the process that speaks for all, the parent or the only one, when its loop stands:
	 * timers
	 * for what is to be done once. A worker inherits the parent's, which `start` ends. May be
	 * NULL */
	void (*lead)(struct config *cfg, void *data);
	/* In a parent whose reload has failed, and which leads the workers of before without their
	 * configuration: what must go on all the same. May be NULL */
	void (*wait)(void);
	void (*stop)(void); /* at the end of the process, reverse order; may be NULL */
	/* enabled(OPTION) of conditions, as the data are by then: 1, 0, or -1: the option is none
	 * of its. May be NULL */
	int (*enabled)(const void *data, const char *option);
	void (*release)(void *data); /* what its data hold outside the generation's arena goes
				      * with the generation; may be NULL */
};

extern const struct module *const modules[]; /* NULL-terminated; defined in src/modules.c */
struct change_kind;
extern const struct change_kind *const change_kind_list[]; /* the same, for change_kinds */

#endif
