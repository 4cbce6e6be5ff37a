/* SPDX-License-Identifier: MIT */
/*
 * Every maximum of the product, with its reason. A number that bounds untrusted input stands here
 * and nowhere else. "file NN" is the design document's number; "compat" marks a value that the
 * reference fixes.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

enum {
	/* JSON reader (base/json.h). */
	MAX_JSON_DEPTH = 64,	    /* nesting; file 00, D2 */
	MAX_JSON_KEY_BYTES = 1024,  /* a member name; ours are below 40 bytes */
	MAX_JSON_MEMBERS = 65536,   /* members of one object: bounds the duplicate check */
	MAX_JSON_NUMBER_BYTES = 63, /* spelling of a number; cJSON reads no more of it */

	/* Queue and results: files 20 and 21, compat. */
	MAX_REQUEST_BYTES = 2097152,	   /* serialized request */
	MAX_RESULT_WRITE_BYTES = 2097152,  /* what the runner writes */
	MAX_RESULT_READ_BYTES = 4194304,   /* what a client reads */
	MAX_CONTENT_BYTES = 262144,	   /* content of a proposal; file 21, section 3 */
	MAX_HEARTBEAT_BYTES = 64,	   /* decimal seconds; file 20, item 15.18 */
	MAX_SERVER_BINARY_BYTES = 4194304, /* installed server copy; file 21, section 3 */

	/* MCP server: file 20. */
	MAX_LINE_BYTES = 4194304,     /* one JSON-RPC message: twice the largest request (M09) */
	READ_CHUNK_BYTES = 65536,     /* one read from standard input */
	MAX_READ_FILE_BYTES = 262144, /* read_file_hashed; compat */
	MAX_TRACKED_REQUESTS = 256,   /* ids a server remembers; compat */
	MAX_PENDING_CALLS = 64,	      /* calls that wait for the runner at one time */
	MAX_RPC_ID_BYTES = 1024,      /* spelling of a JSON-RPC id or progress token */
	MAX_BATCH_MESSAGES = 64,      /* members of a 2025-03-26 batch */
	MAX_WAIT_SECONDS = 120,	      /* --wait; compat */
	MAX_PAGE_BYTES = 262144,      /* --page-bytes */
	MIN_PAGE_BYTES = 1024,
	DEFAULT_PAGE_BYTES = 65536,
	MAX_REPLY_JSON_BYTES = 2097152, /* structured part of a reply: SDKs close at 10 MB a line */
	OUTPUT_HIGH_BYTES = 8388608,	/* unread replies above which no more input is read */
	MAX_OUTPUT_QUEUE_BYTES = 33554432, /* unread replies, hard stop */
	LOST_AFTER_SECONDS = 600,	   /* a request gone without a result; compat */
	HEARTBEAT_STALE_SECONDS = 15,	   /* compat */

	/* Tool arguments. */
	MAX_PATH_BYTES = 4095,	    /* Linux PATH_MAX without the end mark */
	MAX_NAME_BYTES = 255,	    /* one component */
	MAX_RATIONALE_CHARS = 4096, /* the ledger keeps 300 */
	MAX_ARGV_ITEMS = 256,
	MAX_ARG_BYTES = 131071, /* Linux MAX_ARG_STRLEN without the end mark */
	MAX_EXPECTED_WRITES = 4096,
	MAX_GATES = 64,
	MAX_SLUG_BYTES = 64, /* agent names */

	/* Operator's files. */
	MAX_OPERATOR_FILE_BYTES =
		65536,		      /* confined file, deny.list, gate.rules; file 21, section 3 */
	MAX_KEY_FILE_BYTES = 4096,    /* file 21, section 3 */
	MAX_DENY_LIST_ENTRIES = 1024, /* lines an operator may add */

	/* Path walks. */
	MAX_SYMLINKS = 40, /* the kernel's own limit */

	MAX_WALK_STEPS = 16384,	   /* folders looked at for one path without openat2: a tree made of
				      ".." and links ends in an error, not in a long loop */
	MAX_OPENAT2_TRIES = 16,	   /* a rename raced with ".."; after so many it is no accident */
	MAX_WALK_BYTES = 2 * 4096, /* a path and the links put into it while it is resolved */

	/* Processes. */
	MAX_CHILD_FDS = 64,	/* descriptors handed to one child */
	MAX_CHILD_FD = 4095,	/* highest number a child's descriptor may have */
	MAX_INTERRUPTS = 10000, /* signals in a row during one call before it fails with EINTR */
	MAX_FD_SWEEP = 1048576, /* descriptor numbers tried one by one where nothing lists them */

	/* Lock files: a probe holds the lock for an instant; taking it looks again that often. */
	MAX_LOCK_TRIES = 5,

	MAX_LOG_LINE_BYTES = 4096,

	/* Filtered egress (launcher/egress_*): file 10, section 18.12. */
	MAX_EGRESS_RULES = 1024,      /* lines that decide; each connection looks at all of them */
	MAX_EGRESS_PORTS = 16,	      /* ports or ranges of one rule */
	MAX_EGRESS_CONNECTIONS = 64,  /* served at one time; further ones wait in the backlog */
	MAX_EGRESS_HEAD_BYTES = 8192, /* request line and header lines */
	MAX_EGRESS_FIELDS = 100,      /* header lines of a request */
	MAX_EGRESS_REPLY_HEAD_BYTES =
		32768, /* head of a server's answer; servers set long cookies */
	MAX_EGRESS_HELLO_BYTES =
		16384, /* TLS ClientHello with record headers; post-quantum ones are near 2 KiB */
	MAX_EGRESS_LANE_BYTES = 65536, /* bytes on the way in one direction of one connection */
	MAX_EGRESS_ADDRESSES = 16,     /* of one name */
	MAX_EGRESS_LOG_BYTES =
		65536, /* log lines that the reader has not taken; past it, nothing is accepted */
	EGRESS_RESOLVERS = 4,	/* processes that wait for name servers */
	EGRESS_HEAD_MS = 10000, /* until a request is complete, and until the TLS hello is */
	EGRESS_RESOLVE_MS = 10000,
	EGRESS_CONNECT_MS = 10000,     /* all addresses of a name together */
	EGRESS_CONNECT_EACH_MS = 4000, /* one address while others are left */
	EGRESS_IDLE_MS = 300000,       /* no byte in either direction */
	EGRESS_LINGER_MS = 2000,       /* a refused client gets this long to read why */
	EGRESS_START_MS = 10000,       /* until the proxy says that it is confined */
};

#endif
