/* SPDX-License-Identifier: BSD-2-Clause */
/* The sections `peers' (manual chapter 3.5), and the words of the global section about peers. */
#ifndef PEERS_PEERS_CONF_H
#define PEERS_PEERS_CONF_H

#include "config/module.h"
#include "peers/section.h"

/* Its data are a struct peers_conf. */
extern const struct module peers_module;
/* Before the files are read: the name of this host among peers; forced: by -L, so that the files do
 * not change it. The string lives as long as the generation. */
void peers_conf_local(struct config *cfg, const char *name, bool forced);
/* This process replaces another one, which may teach it (-sf). */
void peers_conf_succeeds(struct config *cfg);

#endif
