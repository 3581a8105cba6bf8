/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the command line by a table of options. Called once by main(); decides nothing and
 * touches nothing outside the struct. Options of the language's reference that Penstock does
 * not have are rows as well, so that they are refused by name.
 */
#include "process/args.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/memory.h"
#include "base/str.h"
#include "config/suggest.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct scan {
	struct args *args;
	char **argv;
	int argc, at; /* argv[at] is the next word */
	struct err *err;
};

struct option;
typedef int option_take(struct scan *s, const struct option *o, const char *rest);

struct option {
	const char *name;
	const char *value;   /* as shown in the help; NULL: none */
	option_take *take;
	size_t offset;
	bool prefix;         /* the value stands in the same word, behind the name */
	const char *help;
};

static void *option_field(struct scan *s, const struct option *o)
{
	return (char *)s->args + o->offset;
}

static int option_value(struct scan *s, const struct option *o, const char **value)
{
	*value = NULL;
	if (s->at >= s->argc)
		return err_set(s->err, "option %s needs %s", o->name, o->value);
	*value = s->argv[s->at++];
	return 0;
}

static int take_flag(struct scan *s, const struct option *o, const char *rest)
{
	(void)rest;
	*(bool *)option_field(s, o) = true;
	return 0;
}

static int take_string(struct scan *s, const struct option *o, const char *rest)
{
	(void)rest;
	return option_value(s, o, option_field(s, o));
}

static int take_number(struct scan *s, const struct option *o, const char *rest)
{
	const char *value;
	int64_t n;

	(void)rest;
	if (option_value(s, o, &value) < 0)
		return -1;
	if (!str_to_int(value, 1, 1000000000, &n))
		return err_set(s->err, "option %s: %s must be a number of at least 1, not '%s'",
			       o->name, o->value, value);
	*(int *)option_field(s, o) = (int)n;
	return 0;
}

static int list_add(struct scan *s, struct args_list *list, const char *item)
{
	const char **more = realloc(list->items, (list->count + 1) * sizeof(*more));

	if (!more)
		return err_set(s->err, "out of memory");
	list->items = more;
	more[list->count++] = item;
	return 0;
}

static int take_path(struct scan *s, const struct option *o, const char *rest)
{
	const char *value;

	(void)rest;
	if (option_value(s, o, &value) < 0)
		return -1;
	return list_add(s, &s->args->paths, value);
}

static int take_paths(struct scan *s, const struct option *o, const char *rest)
{
	(void)o;
	(void)rest;
	while (s->at < s->argc)
		if (list_add(s, &s->args->paths, s->argv[s->at++]) < 0)
			return -1;
	return 0;
}

static int take_condition(struct scan *s, const struct option *o, const char *rest)
{
	(void)rest;
	s->args->check_condition = true;
	return option_value(s, o, &s->args->condition);
}

static int take_format(struct scan *s, const struct option *o, const char *rest)
{
	const char *value;

	(void)rest;
	if (option_value(s, o, &value) < 0)
		return -1;
	if (strcmp(value, "json") != 0 && strcmp(value, "text") != 0)
		return err_set(s->err, "option %s: '%s' is no format; there are text and json",
			       o->name, value);
	s->args->json = value[0] == 'j';
	return 0;
}

static int take_dump(struct scan *s, const struct option *o, const char *rest)
{
	if (!*rest)
		return err_set(s->err, "option %s needs classes, such as -dKcfg or -dKall; "
			       "-dKhelp lists them", o->name);
	s->args->dump = rest;
	return 0;
}

struct memory_word {
	const char *name;
	unsigned on, off;
};

static const struct memory_word memory_words[] = {
	{ "poison", MEMORY_POISON, 0 },
	{ "no-poison", 0, MEMORY_POISON },
	{ "no-cache", MEMORY_APART, 0 },
	{ "cache", 0, MEMORY_APART },
	{ "fail", MEMORY_FAILS | MEMORY_APART, 0 }, /* what comes out of a slab cannot fail */
	{ "no-fail", 0, MEMORY_FAILS },
};

/* The word of len bytes at text. */
static int take_memory_word(struct scan *s, const struct option *o, const char *text, size_t len)
{
	struct args *args = s->args;
	size_t i;

	if (len > 5 && !strncmp(text, "fail:", 5)) {
		args->fail_file = text + 5; /* the last one: all that follows is its name */
		len = 4;
	}
	for (i = 0; i < ARRAY_LEN(memory_words); i++) {
		const struct memory_word *w = &memory_words[i];

		if (strlen(w->name) != len || strncmp(w->name, text, len))
			continue;
		args->memory = (args->memory | w->on) & ~w->off;
		args->memory_off = (args->memory_off | w->off) & ~w->on;
		return 0;
	}
	return err_set(s->err, "option %s: '%.*s' is not supported; there are a byte, poison, no-cache "
		       "and fail, and each with no- or without it", o->name, (int)len, text);
}

/* "-dM[<byte>[,]][<word>,...]": alone, or with a byte, it means poison. */
static int take_memory(struct scan *s, const struct option *o, const char *rest)
{
	char *at = (char *)rest;
	unsigned long byte = 0x50;
	size_t len;

	if (*rest >= '0' && *rest <= '9')
		byte = strtoul(rest, &at, 0);
	if (byte > 255)
		return err_set(s->err, "option %s: '%s' is no byte", o->name, rest);
	s->args->poison = (unsigned char)byte;
	if (at != rest || !*rest)
		s->args->memory |= MEMORY_POISON;
	for (at += *at == ','; *at; at += len + (at[len] == ',')) {
		len = strncmp(at, "fail:", 5) ? strcspn(at, ",") : strlen(at);
		if (take_memory_word(s, o, at, len))
			return -1;
	}
	return 0;
}

static bool pid_next(struct scan *s, pid_t *pid)
{
	int64_t n;

	if (s->at >= s->argc || !str_to_int(s->argv[s->at], 1, 0x7fffffff, &n))
		return false;
	*pid = (pid_t)n;
	s->at++;
	return true;
}

static int take_pids(struct scan *s, const struct option *o, const char *rest)
{
	struct args *args = s->args;
	pid_t pid, *more;

	(void)rest;
	args->old_signal = o->name[2] == 'f' ? SIGUSR1 : SIGTERM;
	while (pid_next(s, &pid)) {
		more = realloc(args->old_pids, (args->old_count + 1) * sizeof(*more));
		if (!more)
			return err_set(s->err, "out of memory");
		args->old_pids = more;
		more[args->old_count++] = pid;
	}
	if (s->at < s->argc && s->argv[s->at][0] != '-')
		return err_set(s->err, "option %s: '%s' is no process id", o->name,
			       s->argv[s->at]);
	return 0;
}

static int take_version(struct scan *s, const struct option *o, const char *rest)
{
	(void)rest;
	s->args->version = !strcmp(o->name, "-vv") ? 2 : 1;
	return 0;
}

static int take_help_word(struct scan *s, const struct option *o, const char *rest)
{
	(void)o;
	(void)rest;
	s->args->help_word = true;
	while (s->at < s->argc)
		if (list_add(s, &s->args->words, s->argv[s->at++]) < 0)
			return -1;
	return 0;
}

static int take_explain(struct scan *s, const struct option *o, const char *rest)
{
	(void)rest;
	*(bool *)option_field(s, o) = true;
	while (s->at < s->argc)
		if (list_add(s, &s->args->words, s->argv[s->at++]) < 0)
			return -1;
	return 0;
}

/* main() has seen to it where it is the first word. */
static int take_colocate(struct scan *s, const struct option *o, const char *rest)
{
	(void)rest;
	return err_set(s->err, "%s has to be the first word", o->name);
}

static int take_missing(struct scan *s, const struct option *o, const char *rest)
{
	(void)rest;
	return err_set(s->err, "option %s is not supported yet: %s", o->name, o->help);
}

#define FLAG(field) .take = take_flag, .offset = offsetof(struct args, field)
#define STRING(field) .take = take_string, .offset = offsetof(struct args, field)
#define NUMBER(field) .take = take_number, .offset = offsetof(struct args, field)

static const struct option options[] = {
	{ "-f", "<file|folder>", .take = take_path,
	  .help = "reads this file, or the *.cfg of this folder; may be repeated" },
	{ "--", "<file|folder>...", .take = take_paths, .help = "all that follow are such files" },
	{ "-c", FLAG(check), .help = "checks the configuration and exits" },
	{ "--format", "<text|json>", .take = take_format, .help = "of the messages of -c" },
	{ "-cc", "<condition>", .take = take_condition,
	  .help = "evaluates a condition as after .if: exit 0 true, 1 false, 2 error" },
	{ "-C", "<folder>", STRING(directory), .help = "changes to this folder first" },
	{ "-W", FLAG(master), .help = "a parent watches over workers, and reloads on USR2" },
	{ "-Ws", FLAG(master), .help = "the same, and systemd is told (Type=notify)" },
	{ "-S", "<socket>[,<bind words>]", STRING(parent_socket),
	  .help = "socket of the parent, for commands" },
	{ "-D", FLAG(daemon), .help = "goes to the background" },
	{ "-d", FLAG(debug), .help = "debug: stays in the foreground, shows what happens" },
	{ "-db", FLAG(foreground), .help = "stays in the foreground" },
	{ "-q", FLAG(quiet), .help = "says nothing unless something is wrong" },
	{ "-V", FLAG(verbose), .help = "takes -q back" },
	{ "-n", "<number>", NUMBER(maxconn), .help = "most connections of the process" },
	{ "-N", "<number>", NUMBER(proxy_maxconn), .help = "most connections of a frontend" },
	{ "-m", "<megabytes>", NUMBER(megabytes), .help = "most memory of the process" },
	{ "-p", "<file>", STRING(pidfile), .help = "writes the process id there" },
	{ "-L", "<name>", STRING(local_peer), .help = "name of this host among peers" },
	{ "-x", "<socket>", STRING(old_socket),
	  .help = "takes the listening sockets from the process behind this stats socket" },
	{ "-sf", "<pid>...", .take = take_pids, .help = "then asks these processes to finish" },
	{ "-st", "<pid>...", .take = take_pids, .help = "then tells these processes to end" },
	{ "-dD", FLAG(diagnose), .help = "tells what is suspicious in the configuration" },
	{ "-dG", FLAG(no_getaddrinfo), .help = "resolves names without getaddrinfo()" },
	{ "-dI", FLAG(insecure_fork), .help = "lets the running process start others" },
	{ "-dK", "<class>,...", .take = take_dump, .prefix = true,
	  .help = "lists the words of these classes; -dKhelp lists the classes" },
	{ "-dL", FLAG(list_libraries), .help = "lists the shared libraries in use" },
	{ "-dM", "<byte>,<word>,...", .take = take_memory, .prefix = true,
	  .help = "fills fresh memory with this byte (0x50); no-cache, fail: see the manual" },
	{ "-dS", FLAG(no_splice), .help = "copies, never splices" },
	{ "-dV", FLAG(no_server_verify),
	  .help = "does not verify certificates of servers, unless their lines say so" },
	{ "-dW", FLAG(zero_warning), .help = "refuses a configuration with warnings" },
	{ "-dp", FLAG(no_poll), .help = "no poll(): there is only epoll here" },
	{ "-dr", FLAG(ignore_resolution), .help = "goes on with server names that do not resolve" },
	{ "-v", .take = take_version, .help = "version" },
	{ "--version", .take = take_version, .help = "version" },
	{ "-vv", .take = take_version, .help = "version, features and libraries" },
	{ "-h", FLAG(help), .help = "this page" },
	{ "--help", FLAG(help), .help = "this page" },
	{ "explain", "<request>...", .take = take_explain, .offset = offsetof(struct args, explain),
	  .help = "tells what would happen to a request: penstock help explain" },
	{ "test", "<file|folder>...", .take = take_explain, .offset = offsetof(struct args, test),
	  .help = "does that with the cases of files: penstock help test" },
	{ "colocate", "<command>", .take = take_colocate,
	  .help = "co-located servers without TCP; alone, it lists its options" },
	{ "help", "<word>...", .take = take_help_word,
	  .help = "explains a word of the configuration" },
};

/* Of the reference and not here; the help says why or what instead. */
static const struct option missing[] = {
	{ "-de", .help = "epoll is the only poller" },
	{ "-dk", .help = "kqueue is not on Linux; epoll is the only poller" },
	{ "-dR", .help = "listening sockets do not use SO_REUSEPORT" },
};

static const struct option *option_find(const char *word, const char **rest)
{
	const struct option *found = NULL;
	size_t i;

	*rest = "";
	for (i = 0; i < ARRAY_LEN(options) && !found; i++)
		if (!strcmp(options[i].name, word))
			found = &options[i];
	for (i = 0; i < ARRAY_LEN(missing) && !found; i++)
		if (!strcmp(missing[i].name, word))
			found = &missing[i];
	for (i = 0; i < ARRAY_LEN(options) && !found; i++) {
		size_t len = strlen(options[i].name);

		if (options[i].prefix && !strncmp(options[i].name, word, len)) {
			found = &options[i];
			*rest = word + len;
		}
	}
	return found;
}

/* What people try who know other programs, and what they want. */
static const struct {
	const char *words, *cure;
} tried[] = {
	{ "-t -T check configtest test-config validate verify lint --check --validate --configtest",
	  "'penstock -c -f <file>' checks a configuration" },
	{ "start run serve --config --conf --configuration",
	  "'penstock -f <file>' serves by a configuration" },
	{ "reload restart -s", "the parent (-W) reads its files again on SIGUSR2" },
	{ "stop quit", "SIGUSR1 lets what is under way finish, SIGTERM ends at once" },
	{ "version -version", "'penstock -v' tells the version, -vv what is built in" },
	{ "completion", "contrib/completion/generate writes completion for bash, zsh and fish" },
};

static bool list_names(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *p;

	for (p = list; len && (p = strstr(p, word)); p += len)
		if ((p == list || p[-1] == ' ') && (!p[len] || p[len] == ' '))
			return true;
	return false;
}

static bool is_file(const char *word)
{
	size_t len = strlen(word);

	return *word != '-' && ((len > 4 && !strcmp(word + len - 4, ".cfg")) || strchr(word, '/') ||
				!access(word, F_OK));
}

/* What may be meant by a word that is no option. */
static void meant(const char *word, struct text *t)
{
	struct suggestion near = suggest_begin(word);
	size_t i;

	for (i = 0; i < ARRAY_LEN(tried); i++)
		if (list_names(tried[i].words, word)) {
			text_printf(t, "; %s;", tried[i].cure);
			return;
		}
	if (is_file(word)) {
		text_printf(t, "; -f stands in front of a file: 'penstock -f %.*s';",
			    STR_CUT(word, 100));
		return;
	}
	for (i = 0; i < ARRAY_LEN(options) && strlen(word) > 3; i++)
		suggest_name(&near, options[i].name);
	text_str(t, "; did you mean ");
	if (suggest_put(&near, t))
		text_char(t, '?');
	else
		text_init(t, t->ptr, t->size);
}

static int unknown(const char *word, struct err *err)
{
	char memory[256];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	meant(word, &t);
	return err_set(err, "unknown %s '%.*s'%s penstock --help lists the options",
		       word[0] == '-' ? "option" : "argument", STR_CUT(word, 100),
		       t.len ? memory : ";");
}

int args_parse(struct args *args, int argc, char **argv, struct err *err)
{
	struct scan s = { .args = args, .argc = argc, .argv = argv, .at = 1, .err = err };

	*args = (struct args){ .poison = 0x50 };
	while (s.at < s.argc) {
		const char *word = s.argv[s.at++], *rest;
		const struct option *o = option_find(word, &rest);

		if (!o)
			return unknown(word, err);
		if ((o->take ? o->take(&s, o, rest) : take_missing(&s, o, rest)) < 0)
			return -1;
	}
	return 0;
}

void args_free(struct args *args)
{
	free(args->paths.items);
	free(args->words.items);
	free(args->old_pids);
	*args = (struct args){ .poison = 0x50 };
}

static void usage_row(FILE *out, const struct option *o)
{
	char left[64];

	snprintf(left, sizeof(left), "%s%s%s", o->name, o->value && !o->prefix ? " " : "",
		 o->value ? o->value : "");
	/* What does not fit beside its explanation stands above it. */
	fprintf(out, strlen(left) > 24 ? "  %s\n%27s%s\n" : "  %-24s %s%s\n", left, "", o->help);
}

void args_usage(FILE *out)
{
	size_t i;

	fprintf(out, "usage: penstock -f <file> [<option>...]\n\n");
	for (i = 0; i < ARRAY_LEN(options); i++)
		usage_row(out, &options[i]);
	fprintf(out, "\nnot supported yet:");
	for (i = 0; i < ARRAY_LEN(missing); i++)
		fprintf(out, " %s", missing[i].name);
	fprintf(out, "\n");
}
