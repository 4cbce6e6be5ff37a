/* SPDX-License-Identifier: MIT */
/* The part of limits.h about commands and gates; nothing else includes it. */
#ifndef BASE_LIMITS_COMMAND_H
#define BASE_LIMITS_COMMAND_H

enum {
	/* Commands and gates of the runner: file 21, sections 15 to 22. */
	MAX_OUTPUT_KEPT_BYTES = 262144,	   /* of each stream, head and tail; file 21, section 3 */
	MAX_CHANNEL_COMMAND_SECONDS = 120, /* on the agents' channel; compat */
	GATE_SECONDS = 120,		   /* one gate; compat */
	COMMAND_GRACE_SECONDS = 2,	   /* from SIGTERM to SIGKILL inside */
	COMMAND_LATE_SECONDS = 30,	   /* a launcher that is later than that is killed */
	COMMAND_FSIZE_MIB = 2048,	   /* one file that a command writes */
	MIN_FREE_BYTES = 268435456,	   /* less than this on the disk ends the command */
	MAX_UNDECLARED_LISTED = 1000,	   /* entries of a result; the rest is counted */
	MAX_UNDECLARED_BYTES = 262144,	   /* the same, text */
	MAX_LANDING_BYTES = 268435456,	   /* declared files of one command together */
	MAX_JOURNAL_BYTES = 50331648,	   /* 4096 paths of 4095 bytes, in escapes */
	TRY_WAY_SECONDS = 30,	/* a program that does nothing, at the start of service */
	MAX_REACH_BYTES = 8192, /* declared files that a refusal names; the rest is counted */
	MAX_REPLY_DETAIL_BYTES = 65536, /* after a refusal's text: both of these in escapes */
	MAX_WALK_ENTRIES = 200000,	/* names of a project that runs without a boundary */
	MAX_WALK_NAME_BYTES = 33554432, /* their paths together */
	MAX_WALK_DEPTH = 128,		/* each level holds a descriptor */
	MAX_WALK_PATH = 8192,		/* bytes of one of them */
	BARE_END_SECONDS = 10, /* to kill what is left, and for outputs that stay open; 21, 15.20 */
	GATE_SAID_CHARS = 600, /* of a gate's output in a refusal; file 22, 11.6 */
	MAX_DEFERRED = 256,    /* waiting commands that are known not to need a look */
};

#endif
