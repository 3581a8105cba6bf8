/* SPDX-License-Identifier: BSD-2-Clause */
/* What moving bytes came to; the same on every floor. */
#ifndef BASE_IO_H
#define BASE_IO_H

enum io {
	IO_OK,    /* some bytes moved */
	IO_AGAIN, /* none now: an event will tell */
	IO_EOF,   /* the other side has ended its stream */
	IO_ERR,   /* broken: see the object's error */
};

#endif
