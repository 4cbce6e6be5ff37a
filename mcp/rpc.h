/* SPDX-License-Identifier: MIT */
/*
 * JSON-RPC 2.0 envelope: classifies one message and writes replies. Ids and progress tokens are
 * kept in the spelling they came in and echoed byte by byte, since a number such as
 * 9007199254740993 doesn't survive a double. Pure.
 */
#ifndef MCP_RPC_H
#define MCP_RPC_H

#include "base/buf.h"
#include "base/json.h"

enum rpc_code { /* JSON-RPC 2.0, section 5.1; MCP 2026-07-28 */
		RPC_PARSE_ERROR = -32700,
		RPC_INVALID_REQUEST = -32600,
		RPC_METHOD_NOT_FOUND = -32601,
		RPC_INVALID_PARAMS = -32602,
		RPC_INTERNAL_ERROR = -32603,
		RPC_UNSUPPORTED_VERSION = -32022,
};

enum rpc_kind {
	RPC_REQUEST = 1,
	RPC_NOTIFICATION, /* no id: never answered */
	RPC_RESPONSE,	  /* an answer to something never asked: ignored */
	RPC_BATCH,	  /* a top-level array */
	RPC_INVALID,	  /* answer with code and why */
};

struct rpc_message {
	enum rpc_kind kind;
	struct view id; /* raw; empty when there is none to echo */
	struct view method;
	const struct json *params; /* an object, or NULL when absent or null; borrowed from root */
	bool bad_params;	   /* present, but no object */
	int code;		   /* of RPC_INVALID */
	char why[160];
};

/* Classifies text, of which root is the parsed tree. Borrows from both. */
void rpc_classify(struct view text, const struct json *root, struct rpc_message *ret);

/* The same for text that json_parse refused with err and its context. */
void rpc_classify_unread(struct view text, int err, const struct errctx *e,
			 struct rpc_message *ret);

/* The raw spelling of a valid id (string, or integer without fraction and exponent) or progress
 * token. */
bool rpc_id_is_valid(struct view raw);

/* Writes one whole error reply without line feed. id empty: null. data: raw JSON or empty. message
 * is made printable. */
void rpc_put_error(struct buf *out, struct view id, int code, const char *message,
		   struct view data);

/* Writes the reply's head up to and including "result":, to be followed by one value and
 * rpc_put_end. */
void rpc_put_result(struct buf *out, struct view id);
void rpc_put_end(struct buf *out);

#endif
