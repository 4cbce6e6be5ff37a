/* SPDX-License-Identifier: MIT */
/*
 * Matching of path components. Pure. Folding and stripping only ever make more names match, and
 * every user of this file denies on a match. Tests: tests/unit/policy/t_match.c,
 * tests/cases/denylist.cases.
 */
#include "base/base.h"

#include "policy/match.h"

#include "base/pathstr.h"

static const struct strip_row strips[] = {
	{"STRIP_01", true, "#", "Emacs auto-save file"},
	{"STRIP_02", true, ".#", "Emacs lock file"},
	{"STRIP_03", false, "#", "Emacs auto-save file"},
	{"STRIP_04", false, "~", "editor's backup"},
	{"STRIP_05", false, ".", "vfat and SMB drop a trailing dot: the same file"},
	{"STRIP_06", false, " ", "vfat and SMB drop a trailing blank: the same file"},
	{"STRIP_07", false, ".bak", "backup"},
	{"STRIP_08", false, ".backup", "backup"},
	{"STRIP_09", false, ".old", "backup"},
	{"STRIP_10", false, ".orig", "backup of a merge or patch"},
	{"STRIP_11", false, ".save", "backup of nano"},
	{"STRIP_12", false, ".swo", "swap file of Vim"},
	{"STRIP_13", false, ".swp", "swap file of Vim"},
	{"STRIP_14", false, ".tmp", "half-written copy"},
};

const struct strip_row *match_strips(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(strips);
	return strips;
}

/* One round takes at most one piece off; every piece is at least a byte, so this ends. */
static bool strip_once(struct view *v)
{
	for (size_t i = 0; i < ARRAY_LEN(strips); i++) {
		struct view text = view_of(strips[i].text);

		if (strips[i].at_start ? !view_starts_with(*v, text) : !view_ends_with(*v, text))
			continue;
		if (strips[i].at_start)
			v->ptr += text.len;
		v->len -= text.len;
		return true;
	}
	return false;
}

bool match_fold(struct view component, struct folded *ret)
{
	if (component.len > sizeof(ret->bytes))
		return false;
	ret->whole = (struct view){ret->bytes, pathstr_fold(component, ret->bytes)};
	ret->bare = ret->whole;
	while (strip_once(&ret->bare))
		;
	return true;
}

static bool around(struct view v, struct view text)
{
	const char *star = view_chr(text, '*');
	struct view head = {text.ptr, star ? (size_t)(star - text.ptr) : text.len};
	struct view tail = {star ? star + 1 : "", star ? text.len - head.len - 1 : 0};

	return v.len >= head.len + tail.len && view_starts_with(v, head) && view_ends_with(v, tail);
}

bool match_spelling(enum match_kind kind, struct view text, struct view spelling)
{
	switch (kind) {
	case MATCH_EQUALS:
	case MATCH_FILE:
		return view_eq(spelling, text);
	case MATCH_PREFIX:
		return view_starts_with(spelling, text);
	case MATCH_SUFFIX:
		return view_ends_with(spelling, text);
	case MATCH_INFIX:
		return view_find(spelling, text) != NULL;
	case MATCH_AROUND:
		return around(spelling, text);
	case MATCH_SEQUENCE:
	case N_MATCH_KINDS:
		break;
	}
	return false;
}

bool match_component(enum match_kind kind, struct view text, const struct folded *f)
{
	return match_spelling(kind, text, f->whole) ||
	       (f->bare.len != f->whole.len && match_spelling(kind, text, f->bare));
}

bool match_next(struct view *rest, struct view *component)
{
	while (pathstr_next(rest, component))
		if (!view_is(*component, "."))
			return true;
	return false;
}

bool match_leading(struct view text, struct view path, size_t *ret_end)
{
	struct view rest = path, name, wanted;
	struct folded f, w;

	*ret_end = 0;
	while (match_next(&text, &wanted)) {
		if (!match_next(&rest, &name) || !match_fold(name, &f) || !match_fold(wanted, &w))
			return false;
		/* The row's own spelling is not stripped: a row for "a.bak" doesn't mean "a". */
		if (!match_component(MATCH_EQUALS, w.whole, &f))
			return false;
		*ret_end = (size_t)(name.ptr + name.len - path.ptr);
	}
	return *ret_end > 0;
}
