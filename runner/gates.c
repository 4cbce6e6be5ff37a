/* SPDX-License-Identifier: MIT */
/*
 * Which gates judge a proposal (file 22, 10.2, step 10). Pure. gate_run.c runs them. Tests:
 * tests/unit/runner/t_gates.c, tests/e2e/runner-gates.tap.
 */
#include "base/base.h"

#include "runner/engine.h"
#include "runner/gates.h"

#include "base/limits.h"
#include "policy/write.h"

static bool chosen(const struct brief_gate *const *out, size_t n, const struct brief_gate *g)
{
	for (size_t i = 0; i < n; i++) {
		if (out[i] == g)
			return true;
	}
	return false;
}

int gates_select(const struct brief *b, const struct artifact *a, const char *rel,
		 const struct brief_gate **out, size_t max, size_t *ret_n, struct errctx *e)
{
	size_t n = 0;

	for (size_t i = 0; i < a->gates.n; i++) {
		const struct brief_gate *g = brief_gate(b, a->gates.item[i]);

		if (!g)
			return err_set(e, E_UNKNOWN, "the brief has no gate \"%.*s\"",
				       (int)a->gates.item[i].len, a->gates.item[i].ptr);
		if (chosen(out, n, g))
			continue;
		if (n == max)
			return err_set(e, E_TOOBIG, "more than %zu gates would judge this", max);
		out[n++] = g;
	}
	for (size_t i = 0; i < b->n_gates; i++) {
		const struct brief_gate *g = &b->gates[i];

		if (!g->glob.ptr || !policy_glob(g->glob, view_of(rel), true) || chosen(out, n, g))
			continue;
		if (n == max)
			return err_set(e, E_TOOBIG, "more than %zu gates would judge this", max);
		out[n++] = g;
	}
	*ret_n = n;
	return 0;
}
