/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which files make up the configuration, and their bytes. Called by main() for -f and by the
 * reader. Touches nothing but the files named.
 */
#include "config/load.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/memory.h"
#include "config/lines.h"
#include "config/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int files_append(struct config_files *files, const char *name, struct err *err)
{
	char **more = realloc(files->names, (files->count + 1) * sizeof(*more));
	char *copy = more ? strdup(name) : NULL;

	if (more)
		files->names = more;
	if (!copy)
		return err_set(err, "out of memory");
	files->names[files->count++] = copy;
	return 0;
}

static int files_wanted(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 4 && !strcmp(entry->d_name + len - 4, ".cfg");
}

static int files_order(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int files_add_entry(struct config_files *files, const char *directory,
			   const char *name, struct err *err)
{
	size_t len = strlen(directory);
	struct stat st;
	char *path;
	int rc = 0;

	if (asprintf(&path, "%s%s%s", directory, len && directory[len - 1] == '/' ? "" : "/",
		     name) < 0)
		return err_set(err, "out of memory");
	if (stat(path, &st) < 0)
		rc = err_set(err, "cannot read '%s': %s", path, strerror(errno));
	else if (S_ISREG(st.st_mode))
		rc = files_append(files, path, err);
	free(path);
	return rc;
}

static int files_add_directory(struct config_files *files, const char *directory,
			       struct err *err)
{
	struct dirent **entries;
	int n = scandir(directory, &entries, files_wanted, files_order), i, rc = 0;

	if (n < 0)
		return err_set(err, "cannot read directory '%s': %s", directory, strerror(errno));
	for (i = 0; i < n; i++) {
		if (rc == 0)
			rc = files_add_entry(files, directory, entries[i]->d_name, err);
		free(entries[i]);
	}
	free(entries);
	if (!n)
		files->empty = true;
	return rc;
}

int config_files_add(struct config_files *files, const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_set(err, "cannot read '%s': %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return files_add_directory(files, path, err);
	return files_append(files, path, err);
}

void config_files_free(struct config_files *files)
{
	while (files->count)
		free(files->names[--files->count]);
	free(files->names);
	files->names = NULL;
}

/* Reads to the end, whatever kind of file it is (a pipe works). A NUL byte ends the file, too: what
 * stands behind it in a configuration is not read, and devices such as /dev/zero have no end. */
static char *read_all(int fd, size_t *len)
{
	size_t room = 65536, used = 0;
	char *text = malloc(room), *more;
	ssize_t n;

	while (text) {
		if (room - used < 2) {
			more = realloc(text, room * 2);
			if (!more)
				break;
			text = more;
			room *= 2;
		}
		n = read(fd, text + used, room - used - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		used += (size_t)n;
		if (n == 0 || memchr(text + used - n, 0, (size_t)n)) {
			text[used] = 0;
			*len = used;
			return text;
		}
	}
	free(text);
	return NULL;
}

static bool is_pipe(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* A pipe is not waited for where it is not taken. */
char *reader_file_read(const char *name, bool read_before, size_t *len, struct err *err)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | (read_before ? O_NONBLOCK : 0));
	char *text;

	if (fd < 0) {
		err_set(err, "cannot read this file: %s", strerror(errno));
		return NULL;
	}
	if (read_before && is_pipe(fd)) {
		close(fd);
		err_set(err, "a reload cannot read a pipe: it has given its bytes to the process "
			"that has looked whether they are good");
		return NULL;
	}
	errno = ENOMEM;
	text = read_all(fd, len);
	if (!text)
		err_set(err, "cannot read this file: %s", strerror(errno));
	close(fd);
	return text;
}

/* Where each line begins: made when the first one is asked for, since most files have no
 * problem, and once, since some have tens of thousands. */
static void file_index(struct reader_file *file)
{
	const char *end = file->text + file->len, *p, *next;
	size_t room = 0;

	for (p = file->text; p < end; p = next ? next + 1 : end) {
		if (file->line_count == room) {
			room = room ? 2 * room : 1024;
			file->lines = memory_need(realloc(file->lines, room * sizeof(*file->lines)));
		}
		file->lines[file->line_count++] = (size_t)(p - file->text);
		next = memchr(p, '\n', (size_t)(end - p));
	}
}

const char *reader_line(struct reader *rd, const struct location *loc, size_t *len)
{
	struct reader_file *file = rd->files;
	const char *text, *end;

	while (file && strcmp(file->name, loc->file) != 0)
		file = file->next;
	if (!file)
		return NULL;
	if (!file->lines)
		file_index(file);
	if (!loc->line || loc->line > file->line_count)
		return NULL;
	text = file->text + file->lines[loc->line - 1];
	end = memchr(text, '\n', file->len - file->lines[loc->line - 1]);
	*len = strnlen(text, (size_t)((end ? end : file->text + file->len) - text));
	return text;
}

void reader_files_free(struct reader *rd)
{
	struct reader_file *file;

	for (file = rd->files; file; file = file->next) {
		free(file->text);
		free(file->lines);
	}
	rd->files = NULL;
}

/* -- lines that are shown while the program serves ------------------------------------------ */

static struct {
	const struct config *of;
	const struct reader_lines *lines;
} kept;

void reader_lines_begin(struct reader *rd, const struct reader_file *file)
{
	const char *p = file->text, *end = file->text + file->len;
	struct reader_lines *lines = arena_alloc(rd->cfg->arena, sizeof(*lines));
	unsigned count = 1;

	while ((p = memchr(p, '\n', (size_t)(end - p)))) {
		count++;
		p++;
	}
	lines->file = file->name;
	lines->count = count;
	lines->texts = arena_alloc(rd->cfg->arena, count * sizeof(*lines->texts));
	lines->next = rd->lines;
	rd->lines = lines;
}

void reader_lines_keep(const struct config *cfg)
{
	kept.of = cfg;
	kept.lines = cfg->reader->lines;
}

void reader_lines_forget(const struct config *cfg)
{
	if (kept.of != cfg)
		return;
	kept.of = NULL;
	kept.lines = NULL;
}

const char *config_line(const struct location *loc)
{
	const struct reader_lines *lines = kept.lines;

	if (!loc->file || !loc->line)
		return NULL;
	while (lines && strcmp(lines->file, loc->file) != 0)
		lines = lines->next;
	return lines && loc->line <= lines->count ? lines->texts[loc->line - 1] : NULL;
}
