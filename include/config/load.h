/* SPDX-License-Identifier: BSD-2-Clause */
/* From files to a finished configuration. main() and the tests call this; modules do not. */
#ifndef CONFIG_LOAD_H
#define CONFIG_LOAD_H

#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>

struct err;

/* Names of files to read, in order. Zero-initialised; freed by config_files_free. */
struct config_files {
	char **names;
	size_t count;
	bool empty; /* a folder had no file *.cfg */
};

/* Adds a file; for a directory its files *.cfg that are not hidden, in the order of their
 * bytes. 0, or -1 and err. */
int config_files_add(struct config_files *files, const char *path, struct err *err);
void config_files_free(struct config_files *files);

/* An empty generation: each module's data allocated and initialised. NULL: out of memory. */
struct config *config_new(const struct module *const *list, bool check_only);
/* Reads one file, or a text that stands for one. Every problem goes to cfg->diag; 0, or -1
 * when any was an error. More files may be read after an error. */
int config_read_file(struct config *cfg, const char *name);
int config_read_text(struct config *cfg, const char *name, const char *text, size_t len);
/* Reads all files; HAPROXY_CFGFILES is set to their names first. 0 or -1. */
int config_read_files(struct config *cfg, const struct config_files *files);
/* Lets each module finish: inheritance, cross references, checks; in the order of the list,
 * all of them, even after errors. Nothing is read afterwards. 0, or -1 when there were
 * errors, in reading or here. */
int config_finish(struct config *cfg);
/* Frees the generation and clears the pointer. Modules were stopped before. */
void config_free(struct config **cfg);

/* -cc: is this condition true? It is cut into words as a line of a file is. 1 or 0; -1 and err when
 * it is none. cfg: a generation into which nothing but the command line was read; NULL: nothing is
 * enabled(). */
int config_condition(const struct config *cfg, const char *text, struct err *err);

#endif
