/* SPDX-License-Identifier: MIT */
/* How the gate's rows are found and compared: everything in policy/gate_* that isn't a row or the
 * dump. Test: t_tables, the case files. */
#include "base/base.h"

#include "policy/gate.h"

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool gate_glob(const char *p, struct view v, bool fold)
{
	const char *star = NULL;
	size_t i = 0, mark = 0;

	while (i < v.len) {
		if (*p == '*') {
			star = ++p;
			mark = i;
		} else if (*p && (*p == '?' || *p == v.ptr[i] ||
				  (fold && lower(*p) == lower(v.ptr[i])))) {
			p++;
			i++;
		} else if (star) {
			p = star;
			i = ++mark;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return *p == 0;
}

bool gate_in_list(const char *list, struct view v)
{
	while (v.len && *list) {
		size_t n = 0;

		while (list[n] && list[n] != ' ')
			n++;

		if (n == v.len && memcmp(list, v.ptr, n) == 0)
			return true;
		list += n;
		while (*list == ' ')
			list++;
	}
	return false;
}

/* ---- programs ---- */

size_t gate_program_count(void)
{
	size_t al, mz;

	(void)gate_program_al(&al);
	(void)gate_program_mz(&mz);
	return al + mz;
}

const struct gate_program *gate_program_at(size_t i)
{
	size_t al, mz;
	const struct gate_program *first = gate_program_al(&al), *second = gate_program_mz(&mz);

	if (i < al)
		return &first[i];
	return i - al < mz ? &second[i - al] : NULL;
}

/* Orders as the tables do: by bytes, the shorter one first. */
static int order(const char *row, struct view name)
{
	size_t i = 0;

	while (i < name.len && row[i] && row[i] == name.ptr[i])
		i++;
	if (i == name.len)
		return row[i] ? -1 : 0;
	return (unsigned char)name.ptr[i] < (unsigned char)row[i] ? -1 : 1;
}

bool gate_program_find(struct view name, size_t *ret)
{
	size_t al, n, lo = 0, hi, before = 0;
	const struct gate_program *rows = gate_program_al(&al);

	n = al;
	if (name.len && (unsigned char)name.ptr[0] >= 'm') {
		rows = gate_program_mz(&n);
		before = al;
	}
	for (hi = n; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;
		int c = order(rows[mid].name, name);

		if (c == 0) {
			*ret = before + mid;
			return true;
		}
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return false;
}

const struct gate_program *gate_program(struct view name)
{
	size_t i = 0;

	return gate_program_find(name, &i) ? gate_program_at(i) : NULL;
}

/* ---- rules ---- */

static const struct gate_rule *(*const tables[])(size_t *) = {
	gate_rule_git,
	gate_rule_files,
	gate_rule_package,
	gate_rule_infra,
};

size_t gate_rule_tables(void)
{
	return ARRAY_LEN(tables);
}

const struct gate_rule *gate_rule_table(size_t i, size_t *ret_n)
{
	return tables[i](ret_n);
}

bool gate_rule_exists(struct view id, enum gate_class *ret_cls, enum verdict *ret_verdict)
{
	size_t n;
	const struct gate_own_rule *own = gate_own_rules(&n);

	for (size_t i = 0; i < n; i++)
		if (view_is(id, own[i].id)) {
			*ret_cls = own[i].cls;
			*ret_verdict =
				own[i].verdict ? own[i].verdict : gate_class(own[i].cls)->verdict;
			return true;
		}
	for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
		const struct gate_rule *r = tables[t](&n);

		for (size_t i = 0; i < n; i++)
			if (view_is(id, r[i].id)) {
				*ret_cls = r[i].cls;
				*ret_verdict =
					r[i].verdict ? r[i].verdict : gate_class(r[i].cls)->verdict;
				return true;
			}
	}
	return false;
}
