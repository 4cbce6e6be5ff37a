/* SPDX-License-Identifier: MIT */
/* The state of one word while it is expanded; for expand.c and param.c only. */
#ifndef GATE_BUILD_H
#define GATE_BUILD_H

#include "gate/eval.h"

struct builder {
	struct run *r;
	struct fields *out;
	struct text cur;
	bool open, multi, quoted, split, glob;
	uint8_t taint;
	unsigned pieces; /* taken so far */
	struct span span;
	const struct flow *proc;
};

#endif
