/* SPDX-License-Identifier: BSD-2-Clause */
/* penstock colocate enable|status|disable: reads the words, does it, says what came of it. */
#include "colocate/colocate.h"

#include "base/bug.h"
#include "base/str.h"
#include "colocate/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PINS "/sys/fs/bpf/penstock-colocate"

struct line {
	struct colocate_wish wish;
	bool has_ports;
};

typedef int option_read(struct line *line, const char *value, struct err *err);

struct option {
	const char *name, *value; /* value NULL: it takes none */
	option_read *read;
	const char *help;
};

static int read_cgroup(struct line *line, const char *value, struct err *err)
{
	if (strlen(value) >= sizeof(((struct colocate_settings *)0)->cgroup))
		return err_set(err, "--cgroup: the name is too long");
	line->wish.cgroup = value;
	return 0;
}

static int read_pins(struct line *line, const char *value, struct err *err)
{
	(void)err;
	line->wish.pins = value;
	return 0;
}

static bool read_range(const char *word, unsigned *first, unsigned *last)
{
	char text[16];
	const char *dash = strchr(word, '-');
	int64_t a, b;

	if (!dash) {
		if (!str_to_int(word, 1, 65535, &a))
			return false;
		*first = *last = (unsigned)a;
		return true;
	}
	snprintf(text, sizeof(text), "%.*s", (int)(dash - word), word);
	if (!str_to_int(text, 1, 65535, &a) || !str_to_int(dash + 1, a, 65535, &b))
		return false;
	*first = (unsigned)a;
	*last = (unsigned)b;
	return true;
}

static int read_ports(struct line *line, const char *value, struct err *err)
{
	char word[16];
	unsigned first, last;
	size_t len;

	for (; line->has_ports = true, *value; value += len + (value[len] == ',')) {
		len = strcspn(value, ",");
		snprintf(word, sizeof(word), "%.*s", (int)len, value);
		if (len >= sizeof(word) || !read_range(word, &first, &last))
			return err_set(err, "--ports: '%.*s' is neither a port nor a range such as "
				       "8000-8010", (int)(len < 40 ? len : 40), value);
		memset(line->wish.ports + first, 1, last - first + 1);
	}
	return 0;
}

static int read_number(const char *name, const char *value, unsigned least, unsigned most,
		       unsigned *number, struct err *err)
{
	int64_t n;

	if (!str_to_int(value, least, most, &n))
		return err_set(err, "%s: '%s' is no number from %u to %u", name, value, least,
			       most);
	*number = (unsigned)n;
	return 0;
}

static int read_ring(struct line *line, const char *value, struct err *err)
{
	return read_number("--ring-kbytes", value, 4, 16384, &line->wish.ring_kbytes, err);
}

static int read_connections(struct line *line, const char *value, struct err *err)
{
	return read_number("--connections", value, 1, 1 << 20, &line->wish.connections, err);
}

static int read_loopback_only(struct line *line, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	line->wish.loopback_only = true;
	return 0;
}

static int read_readers(struct line *line, const char *value, struct err *err)
{
	static const char *const names[] = { "level", "edge", "blocking" }; /* bits of readers */
	size_t len, i;

	for (line->wish.readers = 0; *value; value += len + (value[len] == ',')) {
		len = strcspn(value, ",");
		for (i = 0; i < ARRAY_LEN(names); i++)
			if (strlen(names[i]) == len && !strncmp(names[i], value, len))
				break;
		if (i == ARRAY_LEN(names))
			return err_set(err, "--readers: '%.*s' is none of level, edge and blocking",
				       (int)(len < 40 ? len : 40), value);
		line->wish.readers |= 1u << i;
	}
	return 0;
}

static const struct option options[] = {
	{ "--cgroup", "<folder>", read_cgroup,
	  "the control group (version 2) whose programs are meant" },
	{ "--ports", "<port>[-<port>],...", read_ports, "of servers; others are left alone" },
	{ "--loopback-only", NULL, read_loopback_only,
	  "leaves connections between namespaces alone" },
	{ "--ring-kbytes", "<number>", read_ring,
	  "at most so much waits at a receiver, then TCP has it (256)" },
	{ "--readers", "<way>,...", read_readers,
	  "receivers that wait so are served: level, edge, blocking (level)" },
	{ "--connections", "<number>", read_connections, "places for so many (16384)" },
	{ "--pins", "<folder>", read_pins, "where it stays (" PINS ")" },
};

static void usage(FILE *out)
{
	char left[64];
	size_t i;

	fprintf(out, "usage: penstock colocate enable --cgroup <folder> --ports <port>,... "
		     "[<option>...]\n"
		     "       penstock colocate status|disable [--pins <folder>]\n"
		     "  connections between programs of this machine, without TCP in between: "
		     "doc/kernel.md\n\n");
	for (i = 0; i < ARRAY_LEN(options); i++) {
		snprintf(left, sizeof(left), "%s %s", options[i].name,
			 options[i].value ? options[i].value : "");
		fprintf(out, "  %-28s %s\n", left, options[i].help);
	}
}

static bool asks_for_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help");
}

/* The option of a word, and what stands behind its '='; NULL: there is none. */
static const struct option *option_find(const char *word, const char **value)
{
	const size_t len = strcspn(word, "=");
	size_t i;

	*value = word[len] ? word + len + 1 : NULL;
	for (i = 0; i < ARRAY_LEN(options); i++)
		if (strlen(options[i].name) == len && !strncmp(options[i].name, word, len))
			return &options[i];
	return NULL;
}

static int line_read(struct line *line, const char *command, int count, char **words,
		     struct err *err)
{
	const struct option *o;
	const char *value;
	int at;

	for (at = 0; at < count; at++) {
		o = option_find(words[at], &value);
		if (!o)
			return err_set(err, "unknown word '%s'; 'penstock colocate' lists them",
				       words[at]);
		if (strcmp(command, "enable") != 0 && o->read != read_pins)
			return err_set(err, "%s is for enable, and says nothing to %s", o->name,
				       command);
		if (!o->value && value)
			return err_set(err, "%s takes no value", o->name);
		if (o->value && !value && at + 1 < count)
			value = words[++at];
		if (o->value && (!value || !*value))
			return err_set(err, "%s needs %s", o->name, o->value);
		if (o->read(line, value, err))
			return -1;
	}
	return 0;
}

static int run_enable(struct line *line, struct err *err)
{
	if (!line->wish.cgroup)
		return err_set(err, "--cgroup is missing");
	if (!line->has_ports)
		return err_set(err, "--ports is missing: pairing is for servers that were chosen");
	if (colocate_enable(&line->wish, err))
		return -1;
	printf("enabled; connections that are opened from now on are paired\n");
	return 0;
}

static int run_status(struct line *line, struct err *err)
{
	return colocate_status(line->wish.pins, stdout, err);
}

static int run_disable(struct line *line, struct err *err)
{
	unsigned left;

	if (colocate_disable(line->wish.pins, &left, err))
		return -1;
	printf("disabled; %u connections that were paired go on by TCP\n", left);
	return 0;
}

int colocate_command(int count, char **words)
{
	static const struct {
		const char *name;
		int (*run)(struct line *line, struct err *err);
	} commands[] = { { "enable", run_enable }, { "status", run_status },
			 { "disable", run_disable } };
	static struct line line = { .wish = { .pins = PINS, .ring_kbytes = 256,
					      .connections = 16384, .readers = COLOCATE_LEVEL } };
	struct err err;
	size_t i;

	if (!count || asks_for_help(words[count - 1])) {
		usage(stdout);
		return 0;
	}
	for (i = 0; i < ARRAY_LEN(commands); i++) {
		if (strcmp(commands[i].name, words[0]) != 0)
			continue;
		if (!line_read(&line, commands[i].name, count - 1, words + 1, &err) &&
		    !commands[i].run(&line, &err))
			return 0;
		fprintf(stderr, "penstock colocate: %s\n", err.text);
		return 1;
	}
	usage(stderr);
	return 1;
}

bool colocate_help(const char *word)
{
	if (strcmp(word, "colocate") != 0)
		return false;
	usage(stdout);
	return true;
}
