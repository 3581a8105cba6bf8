/* SPDX-License-Identifier: BSD-2-Clause */
/* What frames between parent and worker are about. The numbers are the protocol between programs
 * of different age (an old worker talks to the parent's new image): add at the end, never
 * renumber. */
#ifndef PROCESS_MESSAGES_H
#define PROCESS_MESSAGES_H

enum message {
	MSG_READY = 1, /* worker: it serves */
	MSG_FINISH,    /* parent: soft stop; a byte: new workers have all sockets */
	MSG_MOVE,      /* parent: go on over this descriptor; what waits is lost */
	MSG_SUBMIT,    /* worker: please make this change */
	MSG_CHANGE,    /* parent: carry out this change */
	MSG_SAID,      /* parent: what became of the change that you submitted */
	MSG_TALK,      /* worker: open a talk with a row; parent: serve this one (descriptor) */
	MSG_TALK_SAID, /* parent: the descriptor of the talk you asked for, or a sentence */
	MSG_PAUSE,     /* parent: stop listening; as SIGTTOU, but in order */
	MSG_RESUME,    /* parent: listen again */
	MSG_DEAF,      /* worker: after MSG_FINISH, it accepts nothing any more */
	MSG_OLD,       /* parent: a byte: a generation that may replace you is being started, or (0)
		        * is not: what comes need not fit what you have */
};

#endif
