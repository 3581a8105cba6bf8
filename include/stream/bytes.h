/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of bytes (mode tcp). */
#ifndef STREAM_BYTES_H
#define STREAM_BYTES_H

extern const struct stream_kind stream_of_bytes;

#endif
