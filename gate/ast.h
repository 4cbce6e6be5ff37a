/* SPDX-License-Identifier: MIT */
/*
 * What the parser makes of a command: lists, and-or chains, pipelines, simple and compound
 * commands, words as lists of pieces (file 40, sections 12.3 and 12.4). Nodes live in an arena;
 * offsets are bytes of the text that was parsed, mapped to the command of the call by struct
 * origin.
 */
#ifndef GATE_AST_H
#define GATE_AST_H

#include "base/view.h"

struct node;
struct word;

/* Where a text came from. Inner text of an argument (sh -c, backquotes) has no exact place of its
 * own: all of it stands for the span of the outer word. */
struct origin {
	bool exact;
	uint32_t off, len; /* exact: offset of the text's first byte; else the span */
};

struct span {
	uint32_t off, len; /* in the command of the call */
};

struct script {
	struct node *list;
	struct view text;
	struct origin origin;
	int error;	    /* 0 or E_SYNTAX, E_DEPTH: list holds what was read before */
	uint32_t error_off; /* where in text */
	const char *error_why;
	unsigned heredocs_open; /* bodies that ended with the text */
};

enum piece_kind {
	P_LIT = 1, /* text */
	P_VAR,	   /* ${text[index]op arg} */
	P_CMD,	   /* $(...) or backquotes */
	P_ARITH,   /* $((...)): arg holds the pieces */
	P_PROC,	   /* <(...) or >(...) */
	P_GLOB,	   /* extended pattern: arg holds the pieces */
};

enum var_op {
	V_PLAIN,
	V_LENGTH,   /* ${#x} */
	V_INDIRECT, /* ${!x} */
	V_NAMES,    /* ${!x@} ${!x*}, ${!x[@]} */
	V_DEFAULT,  /* - and :- */
	V_ASSIGN,   /* = and := */
	V_ERROR,    /* ? and :? */
	V_ALT,	    /* + and :+ */
	V_PREFIX,   /* # ## */
	V_SUFFIX,   /* % %% */
	V_REPLACE,  /* / // /# /% */
	V_UPPER,    /* ^ ^^ */
	V_LOWER,    /* , ,, */
	V_TOGGLE,   /* ~ ~~ */
	V_SUBSTR,   /* :off:len */
	V_TRANSFORM /* @Q and others */
};

struct piece {
	struct piece *next;
	struct view text; /* P_LIT: bytes; P_VAR: name */
	uint8_t kind;
	bool quoted;  /* not split, not globbed, no keyword */
	uint8_t op;   /* enum var_op */
	bool colon;   /* V_DEFAULT and its like: null counts as unset */
	char doubled; /* the operator's second character (# % / ^ , or 0) */
	bool out;     /* P_PROC: >( */
	uint32_t off, len;
	struct word *arg;
	struct word *arg2;  /* V_REPLACE: replacement; V_SUBSTR: length */
	struct word *index; /* subscript */
	struct script *script;
};

struct word {
	struct word *next;
	struct piece
		*pieces; /* NULL: the word is exactly `text`, unquoted, without special bytes */
	struct view text;
	uint32_t off, len;
	bool brace;  /* holds an unquoted { */
	bool quoted; /* something in it was quoted */
};

struct assign {
	struct assign *next;
	struct view name;
	struct word *index;
	struct word *value; /* NULL for an array or an empty value */
	struct word *elems; /* array */
	bool array, append;
	uint32_t off, len;
};

enum redir_op {
	R_IN = 1, /* < */
	R_OUT,	  /* > */
	R_APPEND, /* >> */
	R_CLOBBER,
	R_RDWR,	    /* <> */
	R_DUPIN,    /* <& */
	R_DUPOUT,   /* >& */
	R_BOTH,	    /* &> */
	R_BOTHAPP,  /* &>> */
	R_HERE,	    /* << */
	R_HERETABS, /* <<- */
	R_HERESTR,  /* <<< */
};

struct redir {
	struct redir *next;
	uint8_t op;
	int fd;		     /* -1: the operator's own; -2: {name} */
	bool literal;	     /* here-document with a quoted delimiter */
	struct word *target; /* file, or the body of a here-document */
	struct view delim;
	uint32_t off, len;
};

enum node_kind {
	N_SIMPLE = 1,
	N_PIPE,	    /* body: stages */
	N_ANDOR,    /* body: members, each with join */
	N_SUBSHELL, /* body */
	N_GROUP,    /* body */
	N_IF,	    /* cond, body, other */
	N_LOOP,	    /* while, until: cond, body */
	N_FOR,	    /* name, words (has_in), body */
	N_CFOR,	    /* words: the three expressions; body */
	N_SELECT,
	N_CASE,	  /* words: the subject; items */
	N_FUNC,	  /* name, body */
	N_COND,	  /* [[ ]]: words */
	N_ARITH,  /* (( )): words */
	N_COPROC, /* body */
};

struct case_item {
	struct case_item *next;
	struct word *patterns;
	struct node *body;
};

struct node {
	struct node *next;
	uint8_t kind;
	char join; /* N_ANDOR members: '&' or '|' before this one; pipe stages: '&' for |& after it
		    */
	bool negated, timed, background, has_in;
	uint32_t off, len;
	struct node *cond, *body, *other;
	struct word *words;
	struct assign *assigns;
	struct redir *redirs;
	struct case_item *items;
	struct view name;
	uint32_t n_words;
};

#endif
