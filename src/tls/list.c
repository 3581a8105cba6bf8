/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crt-lists. A list is read while the configuration is; its lines become lines of each bind line
 * that uses it (tls_bind_add). Commands add and delete lines in memory: files are never written.
 * Certificates and their contents are the store's business.
 */
#include "tls/list.h"

#include "base/arena.h"
#include "base/err.h"
#include "tls/bind.h"
#include "tls/settings.h"

#include <dirent.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* -- one line, cut ---------------------------------------------------------------------------- */

struct cutter {
	struct arena *arena;
	const char *p, *end;
	const char **options, **filters; /* room for all words that the line can have */
	unsigned option_count, filter_count;
	bool inside, bracketed;
	struct tls_list_words *words;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_bracket(char c)
{
	return c == '[' || c == ']';
}

/* How many words there are, brackets not counted. */
static size_t count_words(const char *line, size_t len)
{
	bool before = false, is;
	size_t i, n = 0;

	for (i = 0; i < len; i++, before = is) {
		is = !is_blank(line[i]) && !is_bracket(line[i]);
		n += is && !before;
	}
	return n;
}

/* The next word, or bracket; NULL: the end. */
static const char *cut_word(struct cutter *c)
{
	const char *begin;

	while (c->p < c->end && is_blank(*c->p))
		c->p++;
	if (c->p == c->end)
		return NULL;
	begin = c->p;
	if (is_bracket(*begin))
		return c->p++, *begin == '[' ? "[" : "]";
	while (c->p < c->end && !is_blank(*c->p) && !is_bracket(*c->p))
		c->p++;
	return arena_strndup(c->arena, begin, (size_t)(c->p - begin));
}

static int cut_bracket(struct cutter *c, bool opens, struct err *err)
{
	if (opens && !c->words->crt)
		return err_set(err, "a line begins with the file of a certificate, not with '['");
	if (opens && c->bracketed)
		return err_set(err, "a second '['");
	if (!opens && !c->inside)
		return err_set(err, "']' without '['");
	c->inside = c->bracketed = opens || c->bracketed;
	c->inside = opens;
	return 0;
}

static int cut_all(struct cutter *c, struct err *err)
{
	const char *word;

	while ((word = cut_word(c))) {
		if (!strcmp(word, "[") || !strcmp(word, "]")) {
			if (cut_bracket(c, *word == '[', err))
				return -1;
		} else if (!c->words->crt) {
			c->words->crt = word;
		} else if (c->inside) {
			c->options[c->option_count++] = word;
		} else {
			c->filters[c->filter_count++] = word;
		}
	}
	return 0;
}

int tls_list_cut(struct arena *arena, const char *line, size_t len, struct tls_list_words *words,
		 struct err *err)
{
	struct cutter c = { .arena = arena, .p = line, .end = line + len, .words = words };
	size_t most = count_words(line, len) + 1; /* of each kind, and NULL */

	memset(words, 0, sizeof(*words));
	while (c.p < c.end && is_blank(*c.p))
		c.p++;
	if (c.p == c.end || *c.p == '#')
		return 0;
	if (memchr(line, 0, len))
		return err_set(err, "a NUL byte");
	if (memchr(line, '[', len))
		c.options = arena_alloc(arena, most * sizeof(*c.options));
	c.filters = arena_alloc(arena, most * sizeof(*c.filters));
	if (cut_all(&c, err))
		return -1;
	words->options = c.bracketed ? c.options : NULL;
	words->filters = c.filter_count ? c.filters : NULL;
	return 0;
}

/* -- one line, understood --------------------------------------------------------------------- */

static int ocsp_update(struct tls_list_line *line, const char *arg, struct err *err)
{
	if (!arg || (strcmp(arg, "on") != 0 && strcmp(arg, "off") != 0))
		return err_set(err, "'ocsp-update' takes 'on' or 'off'");
	line->ocsp_update_given = true;
	line->ocsp_update = !strcmp(arg, "on");
	return 0;
}

/* "acme", "domains". *word: where the argument is to be kept. */
static const char **acme_word(struct tls_list_line *line, const char *option)
{
	if (!strcmp(option, "acme"))
		return &line->acme.section;
	return !strcmp(option, "domains") ? &line->acme.domains : NULL;
}

static int line_options(struct tls_list_line *line, struct err *err)
{
	const char *const *option = line->words.options, *arg, **kept;
	int args;

	for (; option && *option; option++) {
		kept = acme_word(line, *option);
		if (kept) {
			*kept = option[1];
			if (!option[1])
				return err_set(err, "'%s' takes a value", *option);
			option++;
			continue;
		}
		if (!strcmp(*option, "ocsp-update")) {
			if (ocsp_update(line, option[1], err))
				return -1;
			option++;
			continue;
		}
		args = tls_settings_word(*option, TLS_IN_LIST);
		if (args < 0)
			return err_set(err, tls_settings_word(*option, TLS_IN_BIND) < 0 ?
				       "'%s' is not known" :
				       "'%s' is a word of bind lines, not of lines of a crt-list",
				       *option);
		arg = args ? option[1] : NULL;
		if (!line->set)
			line->set = arena_alloc(line->arena, sizeof(*line->set));
		if (tls_settings_set(line->set, *option, arg, line->arena, err))
			return -1;
		option += args;
	}
	return 0;
}

static void line_free(struct tls_list_line *line)
{
	struct arena *arena = line->arena;

	list_remove(&line->node);
	arena_free(&arena);
}

/* What becomes of a line lies in one piece, and not much larger than it must be: there may be
 * 100,000. */
static struct arena *line_arena(const char *text, size_t len)
{
	enum { ALIGN = _Alignof(max_align_t), VALUES = 64 };
	size_t words = count_words(text, len) + 1;
	size_t size = sizeof(struct tls_list_line) + len + words * (sizeof(char *) + ALIGN) + 2 * ALIGN;

	if (memchr(text, '[', len))
		size += sizeof(struct tls_settings) + words * sizeof(char *) + 2 * ALIGN + VALUES;
	return arena_new(size);
}

/* A line without certificate is none: *made is NULL then. */
static int line_make(const char *text, size_t len, struct tls_list_line **made, struct err *err)
{
	struct arena *arena = line_arena(text, len);
	struct tls_list_line *line;

	*made = NULL;
	if (!arena)
		return err_set(err, "out of memory");
	line = arena_alloc(arena, sizeof(*line));
	line->arena = arena;
	list_init(&line->node);
	if (tls_list_cut(arena, text, len, &line->words, err) || line_options(line, err)) {
		line_free(line);
		return -1;
	}
	if (!line->words.crt) {
		line_free(line);
		return 0;
	}
	line->crt = tls_store_crt_path(arena, line->words.crt);
	*made = line;
	return 0;
}

void tls_list_say(const struct tls_list_line *line, struct text *text)
{
	const char *const *word;

	text_str(text, line->crt);
	if (line->words.options) {
		text_str(text, " [");
		for (word = line->words.options; *word; word++)
			text_printf(text, "%s%s", word == line->words.options ? "" : " ", *word);
		text_char(text, ']');
	}
	for (word = line->words.filters; word && *word; word++)
		text_printf(text, " %s", *word);
}

/* -- files ------------------------------------------------------------------------------------ */

static int line_load(struct tls_list *list, struct tls_list_line *line, struct err *err)
{
	const struct location loc = { .file = list->name, .line = line->number };
	int n;

	if (line->acme.section && line->crt[0] == '@')
		return err_set(err, "'acme' of '%.*s' belongs to its 'load' line",
			       STR_CUT(line->crt, 200));
	if (tls_acme_prepare(line->crt, line->crt, &line->acme, err) < 0)
		return -1;
	n = tls_entries_load(line->crt, line->entries, err);
	if (n < 0)
		return -1;
	if (line->acme.section && n > 1)
		return err_set(err, "'acme' needs a file, and not a bundle");
	if (tls_acme_join(line->entries[0], line->crt, &line->acme, &loc, err) < 0)
		return -1;
	line->count = (unsigned)n;
	list_append(&list->lines, &line->node);
	return 0;
}

/* Of "ssl-f-use": a certificate whose files are named. Lines that name the same files have the same
 * certificate. */
static bool is_same_file(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool names_files(const struct tls_files *files)
{
	return files->key || files->ocsp || files->issuer || files->sctl;
}

static bool names_same(const struct tls_files *a, const struct tls_files *b)
{
	return is_same_file(a->key, b->key) && is_same_file(a->ocsp, b->ocsp) &&
	       is_same_file(a->issuer, b->issuer) && is_same_file(a->sctl, b->sctl);
}

/* Has a line before loaded it so? */
static bool was_loaded_so(const char *crt, const struct tls_files *files)
{
	const struct tls_list_line *line;
	const struct tls_list *list;

	for (list = tls_lists; list; list = list->next)
		list_for_each(line, &list->lines, node)
			if (line->own && !strcmp(line->crt, crt) &&
			    names_same(&line->own->files, files))
				return true;
	return false;
}

static int line_load_files(struct tls_list *list, struct tls_list_line *line, struct err *err)
{
	struct tls_files files = line->own->files;
	struct tls_entry *entry = tls_entry_find(line->crt);

	if (entry && !was_loaded_so(line->crt, &files))
		return err_set(err, "'%.*s' has been loaded already, with other files",
			       STR_CUT(line->crt, 200));
	files.crt = line->crt;
	if (!entry)
		entry = tls_entry_add(line->crt, &files, err);
	if (!entry)
		return -1;
	line->entries[0] = entry;
	line->count = 1;
	list_append(&list->lines, &line->node);
	return 0;
}

static unsigned next_number(const struct tls_list *list)
{
	if (list_empty(&list->lines))
		return 1;
	return list_entry(list->lines.prev, struct tls_list_line, node)->number + 1;
}

static int list_read_lines(struct tls_list *list, const char *text, size_t len, struct err *err)
{
	const char *end;
	struct tls_list_line *line;
	unsigned number = 1;
	size_t n;

	for (; len; text += n, len -= n, number++) {
		end = memchr(text, '\n', len);
		n = end ? (size_t)(end - text) + 1 : len;
		if (line_make(text, n, &line, err))
			return err_prefix(err, "line %u of '%.*s'", number,
					  STR_CUT(list->name, 200));
		if (!line)
			continue;
		line->number = number;
		if (!line_load(list, line, err))
			continue;
		line_free(line);
		return err_prefix(err, "line %u of '%.*s'", number, STR_CUT(list->name, 200));
	}
	return 0;
}

static int list_read_file(struct tls_list *list, struct err *err)
{
	struct span text;
	int rc;

	if (tls_file_read(list->name, &text, err))
		return -1;
	rc = list_read_lines(list, text.ptr, text.len, err);
	OPENSSL_free((void *)(uintptr_t)text.ptr);
	return rc;
}

static int wanted(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && !tls_store_is_extra(entry->d_name);
}

static int list_read_one(struct tls_list *list, const char *name, struct err *err)
{
	struct arena *arena = arena_new(256);
	struct tls_list_line *line;
	struct stat st;

	if (!arena)
		return err_set(err, "out of memory");
	line = arena_alloc(arena, sizeof(*line));
	list_init(&line->node);
	line->arena = arena;
	line->crt = line->words.crt = arena_printf(arena, "%s/%s", list->name, name);
	if ((stat(line->crt, &st) || S_ISREG(st.st_mode)) && line_load(list, line, err)) {
		line_free(line);
		return -1;
	}
	if (list_empty(&line->node))
		line_free(line);
	return 0;
}

static int list_read_directory(struct tls_list *list, struct err *err)
{
	struct dirent **entries;
	int n = scandir(list->name, &entries, wanted, alphasort), i, rc = 0;
	const struct list *last;

	if (n < 0)
		return err_set(err, "'%s' cannot be read: %s", list->name, strerror(errno));
	for (i = 0; i < n; i++) {
		last = list->lines.prev;
		if (!rc)
			rc = list_read_one(list, entries[i]->d_name, err);
		if (!rc && list->lines.prev != last)
			list_entry(list->lines.prev, struct tls_list_line, node)->number =
				last == &list->lines ? 1 :
				list_entry(last, struct tls_list_line, node)->number + 1;
		free(entries[i]);
	}
	free(entries);
	return rc;
}

static void list_free(struct tls_list *list)
{
	struct tls_list_line *line, *next;

	list_for_each_safe(line, next, &list->lines, node)
		line_free(line);
	free(list->binds);
	free((char *)(uintptr_t)list->name);
	free(list);
}

static struct tls_list *list_new(const char *name, struct err *err)
{
	struct tls_list *list = calloc(1, sizeof(*list));

	if (!list || !(list->name = strndup(name, tls_list_name_length(name)))) {
		free(list);
		err_set(err, "out of memory");
		return NULL;
	}
	list_init(&list->lines);
	return list;
}

struct tls_list *tls_list_load(const char *name, struct err *err)
{
	struct tls_list *list = tls_list_find(name);
	struct stat st;

	if (list)
		return list;
	if (stat(name, &st)) {
		err_set(err, "'%s' cannot be read: %s", name, strerror(errno));
		return NULL;
	}
	list = list_new(name, err);
	if (!list)
		return NULL;
	list->directory = S_ISDIR(st.st_mode);
	if (list->directory ? list_read_directory(list, err) : list_read_file(list, err)) {
		list_free(list);
		return NULL;
	}
	list->next = tls_lists;
	tls_lists = list;
	return list;
}

static struct tls_list *list_of_frontend(const char *name, struct err *err)
{
	struct tls_list *list = tls_list_find(name);

	if (list)
		return list;
	list = list_new(name, err);
	if (!list)
		return NULL;
	list->next = tls_lists;
	return tls_lists = list;
}

int tls_list_take(const char *name, const struct tls_frontend_line *own, struct err *err)
{
	struct tls_list *list = list_of_frontend(name, err);
	struct tls_list_line *line;

	if (!list || line_make(own->text, strlen(own->text), &line, err))
		return -1;
	line->own = own;
	line->number = next_number(list);
	if (!(names_files(&own->files) ? line_load_files : line_load)(list, line, err))
		return 0;
	line_free(line);
	return -1;
}

void tls_lists_free(void)
{
	struct tls_list *list;

	while ((list = tls_lists)) {
		tls_lists = list->next;
		list_free(list);
	}
}

/* -- with bind lines --------------------------------------------------------------------------- */

static int line_put(const struct tls_list *list, const struct tls_list_line *line,
		    struct tls_bind *bind, struct err *err)
{
	const struct tls_line_spec spec = { .entries = line->entries, .count = line->count,
					    .filters = line->words.filters,
					    .set = line->set,
					    .list = list, .from = line };

	return tls_bind_add(bind, &spec, err);
}

int tls_list_use(struct tls_list *list, struct tls_bind *bind, struct err *err)
{
	const struct tls_list_line *line;
	struct tls_bind **binds = realloc(list->binds, (list->bind_count + 1) * sizeof(*binds));

	if (!binds)
		return err_set(err, "out of memory");
	list->binds = binds;
	binds[list->bind_count++] = bind;
	list_for_each(line, &list->lines, node)
		if (line_put(list, line, bind, err))
			return -1;
	return 0;
}

/* Takes what became of the line out of its bind lines. */
static void line_withdraw(const struct tls_list *list, const struct tls_list_line *line)
{
	struct tls_line *l, *next;
	unsigned i;

	for (i = 0; i < list->bind_count; i++)
		list_for_each_safe(l, next, &list->binds[i]->lines, node)
			if (l->from == line)
				tls_line_free(&l);
}

static int line_find(struct tls_list_line *line, struct err *err)
{
	struct tls_entry *entry = tls_entry_find(line->crt);

	if (!entry || !entry->cert)
		return err_set(err, "certificate '%s' does not exist!", line->crt);
	line->entries[line->count++] = entry;
	return 0;
}

/* What is not in the directory would be gone with the next start. */
static int line_fits(const struct tls_list *list, const struct tls_list_line *line, struct err *err)
{
	size_t len = strlen(list->name);

	if (!list->directory || (!strncmp(line->crt, list->name, len) && line->crt[len] == '/' &&
				 !strchr(line->crt + len + 1, '/')))
		return 0;
	return err_set(err, "'%s' is a directory, certificate path '%s' must contain the directory path",
		       list->name, line->crt);
}

int tls_list_add(struct tls_list *list, struct span text, struct err *err)
{
	struct tls_list_line *line;
	unsigned i;

	if (line_make(text.ptr, text.len, &line, err))
		return -1;
	if (!line)
		return err_set(err, "the line names no certificate");
	if (line->acme.section) {
		line_free(line);
		return err_set(err, "'acme' is for lines that are read when the process starts");
	}
	if (line_fits(list, line, err) || line_find(line, err)) {
		line_free(line);
		return -1;
	}
	line->number = next_number(list);
	for (i = 0; i < list->bind_count; i++)
		if (line_put(list, line, list->binds[i], err)) {
			line_withdraw(list, line);
			line_free(line);
			return -1;
		}
	list_append(&list->lines, &line->node);
	return 0;
}

/* Is it what clients get for whom there is nothing else? */
static bool line_is_default(const struct tls_list *list, const struct tls_list_line *line)
{
	unsigned i;

	for (i = 0; i < list->bind_count; i++)
		if (!list_empty(&list->binds[i]->lines) &&
		    !(list->binds[i]->set.options.on & TLS_STRICT_SNI) &&
		    list_first(&list->binds[i]->lines, struct tls_line, node)->from == line)
			return true;
	return false;
}

int tls_list_delete(struct tls_list *list, const char *crt, unsigned number, struct err *err)
{
	struct tls_list_line *line, *next;
	bool found = false;

	list_for_each(line, &list->lines, node) {
		if (strcmp(line->crt, crt) != 0 || (number && line->number != number))
			continue;
		found = true;
		if (line_is_default(list, line))
			return err_set(err, "'%s' in line %u is the default certificate of a bind "
				       "line and cannot be deleted", crt, line->number);
	}
	if (!found && number)
		return err_set(err, "there is no certificate '%s' in line %u of '%s'", crt, number,
			       list->name);
	if (!found)
		return err_set(err, "there is no certificate '%s' in '%s'", crt, list->name);
	list_for_each_safe(line, next, &list->lines, node)
		if (!strcmp(line->crt, crt) && (!number || line->number == number)) {
			line_withdraw(list, line);
			line_free(line);
		}
	return 0;
}
