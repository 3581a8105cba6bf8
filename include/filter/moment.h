/* SPDX-License-Identifier: BSD-2-Clause */
/* The moments of a stream: what can happen to it, in the order of its life, and what those say who
 * are told. Who is told: subscribers (stream/moments.h), and the filters of the stream
 * (filter/filter.h). doc/internals/moments.md; the table in architecture.md is checked against this
 * list by contrib/check-moments. */
#ifndef FILTER_MOMENT_H
#define FILTER_MOMENT_H

/* Where somebody is asked, the stream may be made to wait, or ended. Where one is told, it goes on
 * in any case: SAID_GOES_ON is what there is to say. */
enum moment {
	MOMENT_BEGUN,     /* told: the stream is there, nothing of it has run */
	MOMENT_REQUEST,   /* asked: mode tcp: rules are about to run; mode http: the head is
			   * complete; twice where bytes turn out to be HTTP */
	MOMENT_BACKEND,   /* asked: the backend is chosen, its rules are about to run */
	MOMENT_RULED,     /* asked: all rules of the request have run, a server is next. Mode http */
	MOMENT_CONNECTED, /* asked: a server or a service is there, the request is about to leave:
			   * once more with each connection that is tried behind it */
	MOMENT_SENT,      /* told: the request has begun to leave: once more as above */
	MOMENT_RESPONSE,  /* asked: mode tcp: the way back is about to be opened; mode http: the head
			   * of the response is complete. Rules of responses are next */
	MOMENT_ANSWER,    /* asked: these rules have run, the response, or an answer of the program,
			   * is about to leave */
	MOMENT_ANSWERED,  /* told: its head has begun to leave. Mode http */
	MOMENT_ENDED,     /* told: the stream ends, by whatever reason; all that it has is there */
	MOMENTS
};
#define AT_MOMENT(name) (1u << MOMENT_##name)

enum moment_said {
	SAID_GOES_ON,
	SAID_WAITS,   /* the stream is woken (stream_wake), and the same one is asked again */
	SAID_SHORT,   /* no memory */
	SAID_REFUSES, /* the stream ends with an error */
	SAID_FAULTY,  /* the same, by an internal one */
	SAID_ENDS,    /* the stream ends as with an answer of the program: in an exchange there is
		       * one, exchange_reply, or a service, exchange_serve */
};

#endif
