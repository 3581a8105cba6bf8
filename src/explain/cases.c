/* SPDX-License-Identifier: BSD-2-Clause */
/* "penstock test": cases out of files, each a request with what is expected of it (explain/cases.h
 * has the format). Each case runs in a process of its own, which reads its configuration by itself.
 */
#include "explain/explain.h"

#include "base/arena.h"
#include "base/err.h"
#include "explain/ask.h"
#include "explain/cases.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct results {
	const struct explain *e;
	bool quiet; /* of cases that are as they should be nothing is said */
	struct arena *arena;
	unsigned cases, failed, broken;
};

/* ---- one case ---------------------------------------------------------------------------- */

static bool has_word(const struct cases_case *c, const char *word)
{
	unsigned i;

	for (i = c->own; i < c->count; i++)
		if (!strcmp(c->words[i], word))
			return true;
	return false;
}

/* Where its files are. Behind -C names are relative to another folder: then from the root. */
static void case_folder(const struct cases_case *c, char *folder)
{
	const char *slash = strrchr(c->file, '/');
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%.*s", slash > c->file ? (int)(slash - c->file) : 1,
		 slash ? c->file : ".");
	if (!has_word(c, "-C") || !realpath(name, folder))
		snprintf(folder, PATH_MAX, "%s", name);
}

/* In a process of its own: what it says of expectations goes to out. */
static void case_run(const struct explain *e, const struct cases_case *c, int out)
{
	struct explain one = *e;
	char folder[PATH_MAX];

	case_folder(c, folder);
	one.folder = folder;
	one.words = c->words;
	one.count = c->count;
	if (dup2(out, STDERR_FILENO) < 0 || !freopen("/dev/null", "w", stdout))
		_exit(EXPLAIN_BROKEN);
	_exit(explain_run(&one));
}

static void case_say(const struct cases_case *c, const char *verdict)
{
	unsigned i;

	printf("%s %s:%u:", verdict, c->file, c->line);
	for (i = c->own; i < c->count && strcmp(c->words[i], "--expect") != 0; i++)
		printf(" %s", c->words[i]);
	printf("\n");
}

static int case_wait(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return EXPLAIN_BROKEN;
	return WEXITSTATUS(status);
}

/* All that comes, in the arena; the first kilobytes of it. */
static char *case_hears(struct arena *arena, int in)
{
	enum { MOST = 8192 };
	char *said = arena_alloc(arena, MOST), more[512];
	size_t len = 0;
	ssize_t n;

	while ((n = read(in, len < MOST - 1 ? said + len : more, len < MOST - 1 ? MOST - 1 - len :
										 sizeof(more))) > 0)
		len += len < MOST - 1 ? (size_t)n : 0;
	return said;
}

static void case_pass_on(const char *said)
{
	size_t len;

	for (; *said; said += len + (said[len] == '\n')) {
		len = strcspn(said, "\n");
		printf("        %.*s\n", (int)len, said);
	}
}

/* What it has said, and its exit code. */
static int case_ask(struct results *r, const struct cases_case *c, char **said)
{
	int ends[2];
	pid_t pid;

	*said = "";
	fflush(stdout);
	if (pipe(ends) < 0)
		return EXPLAIN_BROKEN;
	pid = fork();
	if (!pid)
		case_run(r->e, c, ends[1]);
	close(ends[1]);
	if (pid > 0)
		*said = case_hears(r->arena, ends[0]);
	close(ends[0]);
	return pid > 0 ? case_wait(pid) : EXPLAIN_BROKEN;
}

static void case_judge(struct results *r, const struct cases_case *c)
{
	static const char *const verdicts[] = { [EXPLAIN_HOLDS] = "ok     ",
						[EXPLAIN_DIFFERS] = "FAILED ",
						[EXPLAIN_BROKEN] = "BROKEN " };
	char *said = "nothing is expected: --expect WHAT=VALUE\n";
	int rc = has_word(c, "--expect") ? case_ask(r, c, &said) : EXPLAIN_BROKEN;

	if (rc != EXPLAIN_HOLDS && rc != EXPLAIN_DIFFERS)
		rc = EXPLAIN_BROKEN;
	r->cases++;
	r->failed += rc == EXPLAIN_DIFFERS;
	r->broken += rc == EXPLAIN_BROKEN;
	if (rc != EXPLAIN_HOLDS || !r->quiet)
		case_say(c, verdicts[rc]);
	if (rc != EXPLAIN_HOLDS)
		case_pass_on(said);
}

/* ---- files ------------------------------------------------------------------------------- */

static void file_broken(struct results *r, const char *text)
{
	printf("BROKEN  %s\n", text);
	r->broken++;
}

static struct span file_read(struct arena *arena, const char *name)
{
	enum { MOST = 1 << 20 };
	FILE *in = fopen(name, "re");
	struct span text = { NULL, 0 };
	char *memory;

	if (!in)
		return text;
	memory = arena_alloc(arena, MOST);
	text = (struct span){ memory, fread(memory, 1, MOST, in) };
	fclose(in);
	return text;
}

static void file_judge(struct results *r, const char *name)
{
	struct span text = file_read(r->arena, name);
	const struct cases_case *c;
	struct err err;

	if (!text.ptr) {
		file_broken(r, arena_printf(r->arena, "'%s' cannot be read", name));
		return;
	}
	c = cases_parse(r->arena, name, text, &err);
	if (!c)
		file_broken(r, err.text[0] ? err.text : arena_printf(r->arena, "%s: no case is in "
									       "it", name));
	for (; c; c = c->next)
		case_judge(r, c);
}

static int is_cases(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return len > 6 && !strcmp(d->d_name + len - 6, ".cases");
}

static void folder_judge(struct results *r, const char *name)
{
	struct dirent **found;
	int i, n = scandir(name, &found, is_cases, alphasort);

	if (n <= 0)
		file_broken(r, arena_printf(r->arena, "'%s' has no *.cases", name));
	for (i = 0; i < n; i++) {
		file_judge(r, arena_printf(r->arena, "%s/%s", name, found[i]->d_name));
		free(found[i]);
	}
	if (n >= 0)
		free(found);
}

static void option_wrong(struct results *r, const char *word)
{
	char memory[128];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	if (ask_has(word))
		file_broken(r, arena_printf(r->arena, "'%s' is an option of explain: it belongs to "
						      "a case, in its file", word));
	else if (ask_meant(word, "-q", &t))
		file_broken(r, arena_printf(r->arena, "'%s' is no option of test; did you mean "
						      "%s?%s", word, t.ptr,
					    strcmp(t.ptr, "'-q'") != 0 ? " It belongs to a case, in its "
									"file" : ""));
	else
		file_broken(r, arena_printf(r->arena, "'%s' is no option of test: there is -q; those "
						      "of explain belong to a case, in its file",
					    word));
}

/* False: it is a file. */
static bool option_take(struct results *r, const char *word)
{
	if (*word != '-' || !word[1])
		return false;
	if (!strcmp(word, "-q"))
		r->quiet = true;
	else
		option_wrong(r, word);
	return true;
}

int explain_test(const struct explain *e)
{
	struct results r = { .e = e };
	struct stat st;
	unsigned i;

	if (!e->count) {
		fputs("penstock test: no file of cases is given: penstock test FILE|FOLDER...; "
		      "'penstock help test' tells what stands in it\n", stderr);
		return EXPLAIN_BROKEN;
	}
	r.arena = arena_new(65536);
	if (!r.arena)
		return EXPLAIN_BROKEN;

	for (i = 0; i < e->count; i++) {
		if (option_take(&r, e->words[i]))
			continue;
		if (stat(e->words[i], &st) == 0 && S_ISDIR(st.st_mode))
			folder_judge(&r, e->words[i]);
		else
			file_judge(&r, e->words[i]);
	}
	printf("%u case%s, %u failed, %u broken\n", r.cases, r.cases == 1 ? "" : "s", r.failed,
	       r.broken);
	arena_free(&r.arena);
	return r.broken ? EXPLAIN_BROKEN : r.failed ? EXPLAIN_DIFFERS : EXPLAIN_HOLDS;
}

/* ---- help -------------------------------------------------------------------------------- */

bool explain_help(const char *word)
{
	if (!strcmp(word, "explain")) {
		printf("penstock explain -f FILE [OPTION...] [METHOD] URL\n"
		       "  tells what would happen to the request, by the rules of the file: "
		       "nothing is\n"
		       "  opened, nobody is asked. Exit: 0; 1 an expectation does not hold; 2 a "
		       "mistake\n\n");
		ask_usage(stdout);
		return true;
	}
	if (!strcmp(word, "test")) {
		printf("penstock test [-q] FILE|FOLDER...\n"
		       "  explains the cases of these files, of folders the *.cases, and says "
		       "which\n"
		       "  expectations do not hold. Exit: 0; 1 some do not; 2 a case is broken\n\n"
		       "  -q                              nothing of cases that are as expected\n\n"
		       "  file shop.cfg                   configuration of the cases that follow\n"
		       "  GET https://example.org/cart    a case: the words of 'penstock explain'\n"
		       "      --expect backend=shop       lines that begin with a blank go on\n");
		return true;
	}
	return false;
}
