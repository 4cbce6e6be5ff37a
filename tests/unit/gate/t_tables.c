/* SPDX-License-Identifier: MIT */
/* Invariants of the gate's tables: order, ids, nothing that could never match. */
#include "base/base.h"

#include "policy/gate.h"

#include <criterion/criterion.h>

static bool is_family(const char *family)
{
	const struct gate_program *p;

	for (size_t i = 0; (p = gate_program_at(i)); i++)
		if (strcmp(p->family, family) == 0)
			return true;
	return false;
}

Test(gate_tables, programs_are_sorted_and_found)
{
	const struct gate_program *p, *before = NULL;
	size_t i;

	for (i = 0; (p = gate_program_at(i)); i++) {
		if (before)
			cr_expect_lt(strcmp(before->name, p->name), 0, "%s stands before %s",
				     before->name, p->name);
		cr_expect_eq(gate_program(view_of(p->name)), p, "%s isn't found", p->name);
		before = p;
	}
	cr_expect_eq(i, gate_program_count());
	cr_expect_null(gate_program(view_of("nosuchprogram")));
}

Test(gate_tables, rules_have_programs_and_sound_conditions)
{
	for (size_t t = 0; t < gate_rule_tables(); t++) {
		size_t n;
		const struct gate_rule *r = gate_rule_table(t, &n);

		for (size_t i = 0; i < n; i++) {
			enum gate_class cls;
			enum verdict verdict;

			cr_expect(is_family(r[i].family), "%s: no program of %s", r[i].id,
				  r[i].family);
			cr_expect_null(strchr(r[i].unless, ' '), "%s: blanks in unless", r[i].id);
			cr_expect_neq(r[i].cls, GATE_NONE, "%s has no class", r[i].id);
			cr_expect(gate_rule_exists(view_of(r[i].id), &cls, &verdict), "%s",
				  r[i].id);
			cr_expect_eq(cls, r[i].cls, "%s stands twice", r[i].id);
			cr_expect(verdict == VERDICT_ASK || verdict == VERDICT_DENY, "%s", r[i].id);
		}
	}
}

Test(gate_tables, scripts_writers_and_grammars_have_programs)
{
	size_t n;
	const struct gate_script *s = gate_scripts(&n);

	for (size_t i = 0; i < n; i++)
		cr_expect(is_family(s[i].family), "%s: no program of %s", s[i].id, s[i].family);
	{
		const struct gate_writer *w = gate_writers(&n);

		for (size_t i = 0; i < n; i++)
			cr_expect(is_family(w[i].family), "writer: no program of %s", w[i].family);
	}
}

Test(gate_tables, wrappers_are_marked_as_programs)
{
	size_t n;
	const struct gate_wrapper *w = gate_wrappers(&n);

	for (size_t i = 0; i < n; i++)
		for (const char *p = w[i].name; *p;) {
			size_t len = strcspn(p, " ");
			const struct gate_program *program = gate_program((struct view){p, len});

			cr_expect(program && (program->flags & GP_WRAPS), "%s: %s", w[i].id, p);
			p += len;
			p += strspn(p, " ");
		}
}

Test(gate_tables, every_class_says_what_and_what_instead)
{
	for (int c = GATE_NONE + 1; c < N_GATE_CLASSES; c++) {
		const struct gate_class_row *row = gate_class((enum gate_class)c);

		cr_expect_not_null(row->name);
		cr_expect(row->does && row->does[0], "%s", row->name);
		cr_expect(row->instead && row->instead[0], "%s", row->name);
		cr_expect_eq((int)gate_class_by_name(view_of(row->name)), c);
	}
	cr_expect_eq(gate_class_by_name(view_of("nope")), GATE_NONE);
}

Test(gate_tables, languages_stand_together)
{
	size_t n;
	const struct gate_call *c = gate_calls(&n);
	bool done[32] = {false};

	for (size_t i = 0; i < n; i++) {
		if (i && c[i].lang != c[i - 1].lang)
			done[c[i - 1].lang] = true;
		cr_expect_not(done[c[i].lang], "%s stands apart from its language", c[i].name);
	}
}

Test(gate_tables, globs)
{
	cr_expect(gate_glob("a*c", view_of("abbc"), false));
	cr_expect(gate_glob("*", view_of(""), false));
	cr_expect(gate_glob("a?c", view_of("abc"), false));
	cr_expect_not(gate_glob("a?c", view_of("ac"), false));
	cr_expect_not(gate_glob("abc", view_of("ABC"), false));
	cr_expect(gate_glob("abc", view_of("ABC"), true));
	cr_expect(gate_in_list("a bc d", view_of("bc")));
	cr_expect_not(gate_in_list("a bc d", view_of("b")));
	cr_expect_not(gate_in_list("a bc d", view_of("")));
}
