/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps REQ_CONNECT, REQ_CONNECTING and REQ_RETRY. For the files of stream/. */
#ifndef STREAM_CONNECT_H
#define STREAM_CONNECT_H

struct stream;

/* Rows of the step table: they return an enum step_result (stream/steps.h). */
int connect_start(struct stream *s);
int connect_wait(struct stream *s);
int connect_retry(struct stream *s);
/* After another failure, counted already: the step with which the next try begins. */
int connect_again(struct stream *s);

#endif
