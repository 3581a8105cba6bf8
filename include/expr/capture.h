/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of a request and a response for the time when their heads have left: captured
 * fields and cookies, method, target, versions. Declared by words and rules while
 * the configuration is read; the values live in the exchange's arena. Manual 8.7 and 8.8. */
#ifndef EXPR_CAPTURE_H
#define EXPR_CAPTURE_H

#include "base/str.h"
#include "config/module.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct config;
struct location;
struct message;
struct proxy;
struct proxy_part;
struct view;
struct view_http;

/* A slot: its place in lines and its index are that of its declaration. */
struct capture {
	struct capture *next;
	struct span name; /* field; ptr NULL: rules alone fill it */
	unsigned len;     /* longest value; longer ones are cut */
};
struct capture_slots {
	struct capture *first, *last;
	unsigned count;
};
/* Of a frontend: proxy.captures, NULL: none. */
struct captures {
	struct capture_slots request, response;
	struct span cookie; /* name, or its begin; ptr NULL: none is captured */
	bool cookie_exact;  /* "name=" was written */
	unsigned cookie_len;
};

/* Declares a slot; name NULL: for rules. Its index. */
unsigned capture_declare(struct config *cfg, struct proxy *proxy, bool response, const char *name,
			 unsigned len);
/* How many there are so far, with those that the defaults section has declared. */
unsigned capture_declared(struct config *cfg, struct proxy *proxy, bool response);
unsigned capture_count(const struct proxy *frontend, bool response);

/* The head of the request (response) is complete, no rule has run yet: takes what was declared.
 * Fills in http->method, uri (if somebody asked for it), version and the like. */
void capture_request(const struct proxy *frontend, const struct message *msg, struct arena *arena,
		     struct view_http *http);
void capture_response(const struct proxy *frontend, const struct message *msg, struct arena *arena,
		      struct view_http *http);
/* A rule keeps a value, cut to the slot's length. False: there is no such slot here. */
bool capture_store(const struct view *view, bool response, uint64_t index, struct span value);
/* NULL: nothing was captured. */
const char *capture_value(const struct view *view, bool response, uint64_t index);

/* "HTTP/1.1"; static text. */
struct span http_version_text(unsigned major, unsigned minor);

/* Somebody asks for the target behind the request: it is copied from then on. */
void capture_need_uri(struct config *cfg);

extern const struct module capture_module;
extern struct proxy_part capture_proxy_part;

#endif
