/* SPDX-License-Identifier: MIT */
/* The part of limits.h about direct grants; nothing else includes it. */
#ifndef BASE_LIMITS_GRANT_H
#define BASE_LIMITS_GRANT_H

enum {
	/* Direct grants: file 24, section 1. */
	MAX_GRANTS_FILE_BYTES = 262144, /* compat */
	MAX_GRANT_RECORDS = 64,		/* records of one file: one an agent, and spare */
	MAX_ACTIVE_GRANTS = 3,		/* more valid ones activate none; compat */
	MAX_GRANT_SECONDS = 2592000,	/* 30 days from issue to expiry; compat */
	MAX_GRANT_DAYS = 30,		/* the same, as the operator says it */
	DEFAULT_GRANT_DAYS = 7,		/* compat */
	MAX_GRANT_WRITES = 500,		/* compat */
	DEFAULT_GRANT_WRITES = 50,	/* compat */
	GRANT_AHEAD_SECONDS = 300,	/* how far ahead "issued" may lie; compat */
	NONCE_TOLERANCE_SECONDS = 60,	/* when a nonce's end is held against 4 hours; compat */
	MAX_GRANT_PROBLEMS = 10,	/* in a row of the ledger; compat */
	MAX_GRANT_PROBLEM_BYTES = 200,	/* each of them; compat */
	MAX_GRANT_HISTORY = 4096,	/* grants that a ledger has ever seen */
	MAX_KEY_ID_BYTES = 64,		/* name of a signing key; compat */
	MAX_TRUSTED_KEYS = 64,		/* lines of trusted-keys */
	MAX_PASSPHRASE_BYTES = 1024,	/* of a private key */
	MIN_PASSPHRASE_BYTES = 8,	/* a shorter one only looks like protection */
	PASSPHRASE_MEMORY_KIB = 262144, /* Argon2id: libsodium's "moderate" */
	PASSPHRASE_PASSES = 3,		/* the same */
	MAX_PASSPHRASE_PASSES = 16,	/* a file that asks for more isn't ours */
	MAX_SIGNATURE_FILE_BYTES = 256, /* 64 bytes, or 128 digits and white space */
	MAX_CLIENT_SETTINGS_BYTES = 1048576, /* .claude/settings.json, before anything is signed */
};

#endif
