/* SPDX-License-Identifier: MIT */
/*
 * Every maximum of the product, with its reason. A number that bounds untrusted input stands here
 * and nowhere else. "file NN" is the design document's number; "compat" marks a value that the
 * reference fixes.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include "base/limits_command.h"
#include "base/limits_grant.h"

enum {
	/* JSON reader (base/json.h). */
	MAX_JSON_DEPTH = 64,	    /* nesting; file 00, D2 */
	MAX_JSON_KEY_BYTES = 1024,  /* a member name; ours are below 40 bytes */
	MAX_JSON_MEMBERS = 65536,   /* members of one object: bounds the duplicate check */
	MAX_JSON_NUMBER_BYTES = 63, /* spelling of a number; cJSON reads no more of it */

	/* Queue and results: files 20 and 21, compat. */
	MAX_REQUEST_BYTES = 2097152,	    /* serialized request */
	MAX_RESULT_WRITE_BYTES = 2097152,   /* what the runner writes */
	MAX_RESULT_READ_BYTES = 4194304,    /* what a client reads */
	MAX_CONTENT_BYTES = 262144,	    /* content of a proposal; file 21, section 3 */
	MAX_HEARTBEAT_BYTES = 64,	    /* decimal seconds; file 20, item 15.18 */
	MAX_SERVER_BINARY_BYTES = 67108864, /* a program that is hashed */

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

	/* The gate hook: file 40, section 12.15. */
	MAX_GATE_EVENT_BYTES = 4194304,	  /* one event on standard input */
	MAX_GATE_COMMAND_BYTES = 1048576, /* a longer command is asked about, unparsed */
	MAX_GATE_FLOOR_BYTES = 65536,	  /* of such a command the text rules see this much */
	MAX_GATE_ARENA_BYTES = 167772160, /* parse and evaluation of one call */
	MAX_GATE_STEPS = 50000000,	  /* units of work of one call */
	MAX_GATE_DEPTH = 40,		  /* nesting of the shell's constructs */
	MAX_GATE_SCRIPT_DEPTH = 8,	  /* script text in script text (sh -c) */
	MAX_GATE_SUBSCRIPT = 1024,	  /* bytes of an assignment's subscript */
	MAX_GATE_BRACE_WORDS = 4096,	  /* words that brace expansion may make */
	MAX_GATE_WORDS = 100000,	  /* words of one command after expansion */
	MAX_GATE_COMPUTED = 512,	  /* bytes of a value put together from parts */
	MAX_GATE_ALTERNATIVES = 16,	  /* values that one variable or command may have */
	MAX_GATE_WRAPPERS = 16,		  /* wrappers around a command */
	MAX_GATE_CALL_DEPTH = 8,	  /* functions that call functions */
	MAX_GATE_FINDINGS = 64,		  /* findings kept; the verdict counts all */
	MAX_GATE_REASON_BYTES = 2000,	  /* text shown to model or person */
	MAX_GATE_ARG_SHOWN = 120,	  /* bytes of one argument shown */
	MAX_GATE_RULE_LINES = 1024,	  /* lines of an operator's gate.rules */

	/* Runner: briefs and patterns (file 22, section 4; file 00, D15). */
	MAX_BRIEF_BYTES = 4194304,     /* a brief is written by people; ours have 20 KiB */
	MAX_PATTERN_BYTES = 4096,      /* one argument pattern */
	MAX_PATTERN_TEXT_BYTES = 4096, /* an argument that is held against one; file 22, 20.17 */
	MAX_PATTERN_STEPS = 100000,    /* PCRE2's match limit: about a millisecond */
	MAX_PATTERN_DEPTH = 1000,      /* backtracking depth */
	MAX_PATTERN_HEAP_KIB = 1024,   /* memory of one match */
	DEFAULT_COMMAND_SECONDS = 600, /* file 21, section 3 */
	MAX_COMMAND_SECONDS = 7200,    /* file 21, section 3 */

	/* Runner: ledger, dispatches, staged records (files 22 and 23). */
	MAX_ROW_STRING_BYTES = 65536,	    /* one text in a row; ours are cut at 300 characters */
	MAX_ROW_BYTES = 8388608,	    /* a row of the reference keeps a whole argv */
	MAX_ROW_LIST_ITEMS = 4096,	    /* strings of one list in a row, e.g. an argv */
	MAX_LEDGER_PROBLEMS = 100,	    /* listed one by one; the rest is counted */
	MAX_DISPATCH_FILE_BYTES = 16777216, /* 125 lines of 180 bytes for each live nonce */
	MAX_DISPATCHES = 4096,		    /* live nonces; a team has a dozen agents */
	MAX_DISPATCH_USES = 25,		    /* file 21, section 3 */
	MAX_DISPATCH_ATTEMPTS = 100,	    /* file 21, section 3 */
	DISPATCH_SECONDS = 86400,	    /* file 21, section 3 */
	DIRECT_DISPATCH_USES = 10,	    /* for an agent with a direct grant */
	DIRECT_DISPATCH_SECONDS = 14400,    /* the same */
	MAX_STAGED_RECORD_BYTES = 4194304,  /* file 23, section 2 */
	MAX_STAGED_AGENT = 50,		    /* records of one agent; file 23, 15.7; --max-staged */
	MAX_STAGED_ALL = 200,		    /* the same, all agents */
	MAX_STAGED_BYTES = 33554432,	    /* the same, content together */
	STAGED_SECONDS = 86400,		    /* file 21, section 3 */
	MAX_ROW_CHARS = 300, /* rationale, purpose, reason in a row; file 22, section 3 */
	MAX_KEEPER_MESSAGE_BYTES = 4194304, /* a record of 256 KiB in its longest escapes, once */
	MIN_KEY_BYTES = 32,		    /* what --keygen makes; file 22, 20.35 */
	CLOCK_JUMP_SECONDS = 300,	    /* wall clock against boot clock: more is no drift */

	/* Runner: queue (file 21). */
	STOP_SECONDS = 10,	   /* a child that is told to end; then it is killed */
	MAX_ENGINE_RESTARTS = 100, /* crashes in the life of one service */
	HEARTBEAT_SECONDS = 3,
	NOTIFY_SECONDS = 2,		/* the service manager has for taking one message */
	RESCAN_SECONDS = 30,		/* a full look at the queue even if no event came */
	QUEUE_BATCH = 128,		/* oldest requests of each channel taken in one look */
	MAX_QUEUE_AGE_SECONDS = 600,	/* an older request isn't served any more; item 29.6 */
	RESULT_SECONDS = 3600,		/* results without a secret */
	SECRET_RESULT_SECONDS = 300,	/* results that hold a nonce: compat */
	ACK_WRITE_SECONDS = 5,		/* an empty acknowledgement may still be written */
	DEAD_REQUEST_SECONDS = 604800,	/* requests that a crash left: kept a week for people */
	OUTCOME_SECONDS = 86400,	/* what became of a staged record; file 23, 15.5 */
	MAX_BASE_FILE_BYTES = 16777216, /* a file that a proposal replaces or deletes */
	MAX_LIST_BYTES = 1835008,	/* entries of one list-staged answer; the rest is paged */
	MAX_SHOWN_BLANKS = 40,		/* longer runs are counted, not shown; field report A10 */
	MAX_DIFF_LINES = 65536,		/* of each side */
	DEFAULT_WAIT_SECONDS = 120,	/* --wait-timeout */
	FOLD_SECONDS = 60,		/* equal free refusals in this time share one row */

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

	/* Lock files: taking one waits that long for probes, which hold it for an instant. */
	MAX_LOCK_PROBED_MS = 2000,

	/* Launcher: file 10. */
	MAX_LAUNCH_PATHS = 512,	  /* values of one option; each may cost a mount */
	MAX_LAUNCH_MOUNTS = 1024, /* bubblewrap reads the mount table again for each bind */
	MAX_LAUNCH_TRIES = 8,	  /* of a start, while sockets that are to be hidden vanish */
	MAX_LAUNCH_ARGS_BYTES = 8388608, /* --args, and the plan handed to stage 2 */
	MAX_SWEEP_ENTRIES = 100000,	 /* hard-link sweep of protected folders; file 10, 18.4 */
	MAX_SWEEP_MS = 5000,
	MAX_GIT_SCAN_ENTRIES = 200000, /* entries looked at for git repositories */
	MAX_REPORT_BYTES = 1048576,    /* report lines of one run */
	MAX_STATE_FILE_BYTES = 262144, /* names that appeared in earlier runs */

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
