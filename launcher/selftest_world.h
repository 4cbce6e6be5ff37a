/* SPDX-License-Identifier: MIT */
/* The two equal trees and the listeners that selftest needs. System. */
#ifndef LAUNCHER_SELFTEST_WORLD_H
#define LAUNCHER_SELFTEST_WORLD_H

#include "launcher/launch.h"

enum { WORLD_FILE_FD = 8, WORLD_DIR_FD = 9 }; /* numbers that a child inherits */

struct world {
	char base[64];	  /* below /var/tmp: the private /tmp hides the other one anyway */
	char inside[96];  /* tree of the confined acts */
	char outside[96]; /* tree of the controls */
	char self[4096];
	char abstract_name[64];
	int port;
	int null_fd, log_fd, file_fd, dir_fd;
	int listeners[4];
};

int world_make(struct world *ret, struct errctx *e) must_check;
void world_remove(struct world *w);

#endif
