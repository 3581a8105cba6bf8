/* SPDX-License-Identifier: BSD-2-Clause */
/* Control groups, and the file system of BPF: where the programs of colocate/ hang and stay. */
#ifndef COLOCATE_ATTACH_H
#define COLOCATE_ATTACH_H

#include "base/err.h"
#include "colocate/programs.h"

/* 0: it is a control group (version 2), and no program sees to the connections of it, of those
 * above or of those below it. Else -1 with a sentence. */
int attach_may(const char *cgroup, struct err *err);
/* A link, which ends with its descriptor unless it is pinned; -1 with a sentence. */
int attach_link(int program, const char *cgroup, struct err *err);

/* 0: the folder can be made, in a BPF file system, and is not there yet. -1 with a sentence. */
int attach_may_pin(const char *pins, struct err *err);
/* Pins the set and the link in a folder that is made. Nothing is left when it fails. 0 or -1 with
 * a sentence. */
int attach_pin(const char *pins, const struct colocate_set *set, int link, struct err *err);
/* Opens the maps that are pinned there; the programs stay -1. 0 or -1 with a sentence. */
int attach_open(const char *pins, struct colocate_set *set, struct err *err);
/* 0: what is pinned there is attached, to the control group that this folder is. -1 with a
 * sentence: the group was removed, or the pin. */
int attach_holds(const char *pins, const char *cgroup, struct err *err);
/* Detaches the link and removes all pins, also where some of them are missing. 0; -1 with a
 * sentence: there was nothing, or something is left. */
int attach_remove(const char *pins, struct err *err);

#endif
