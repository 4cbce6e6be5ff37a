/* SPDX-License-Identifier: MIT */
/* The mount list: its order, what needs no mount, and properties over random trees. */
#include "base/base.h"

#include <criterion/criterion.h>

#include "launcher/bwrap_args.h"
#include "launcher/plan.h"

#include "base/pathstr.h"

static struct plan_in input(const struct plan_item *items, size_t n)
{
	return (struct plan_in){.items = items,
				.n_items = n,
				.home_mode = HOME_RO,
				.home = "/home/u",
				.run_dir = "/run/user/1000",
				.tmp_bytes = 1 << 20,
				.shm_bytes = 1 << 20};
}

static struct plan build(const struct plan_item *items, size_t n, enum launch_home home)
{
	struct plan p = {0};
	struct errctx e = {0};
	struct plan_in in = input(items, n);

	in.home_mode = home;

	cr_assert_eq(plan_build(&in, &p, &e), 0, "%s", e.text);
	return p;
}

static size_t at(const struct plan *p, enum mount_kind kind, const char *dest)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].kind == kind && strcmp(p->v[i].dest, dest) == 0)
			return i;
	return (size_t)-1;
}
#define NOWHERE ((size_t)-1)

Test(plan, order)
{
	const struct plan_item items[] = {
		{ROLE_ROOT, "/w/p", true},
		{ROLE_PROTECT, "/w/p/.github/agents/references/x.json", false},
		{ROLE_MASK, "/home/u/.ssh", true},
	};
	struct plan p = build(items, 3, HOME_RO);
	size_t root = at(&p, MOUNT_BIND, "/w/p"), top = at(&p, MOUNT_ANCESTOR, "/w/p/.github"),
	       low = at(&p, MOUNT_ANCESTOR, "/w/p/.github/agents/references"),
	       file = at(&p, MOUNT_RO_BIND, "/w/p/.github/agents/references/x.json"),
	       mask = at(&p, MOUNT_MASK, "/home/u/.ssh");

	cr_assert_eq(p.v[0].kind, MOUNT_RO_ROOT);
	cr_assert(root < top && top < low && low < file && file < mask && mask != NOWHERE);
	cr_assert_eq(at(&p, MOUNT_ANCESTOR, "/w/p"), NOWHERE, "the root itself is no ancestor");
	plan_release(&p);
}

Test(plan, below_a_protected_folder_nothing_is_mounted)
{
	const struct plan_item items[] = {
		{ROLE_ROOT, "/p", true},
		{ROLE_PROTECT, "/p/.claude/agents/references/a.json", false},
		{ROLE_PROTECT, "/p/.claude", true},
		{ROLE_PROTECT, "/elsewhere/file", false},
	};
	struct plan p = build(items, 4, HOME_RO);

	cr_assert_neq(at(&p, MOUNT_RO_BIND, "/p/.claude"), NOWHERE);
	cr_assert_eq(at(&p, MOUNT_RO_BIND, "/p/.claude/agents/references/a.json"), NOWHERE);
	cr_assert_eq(at(&p, MOUNT_RO_BIND, "/elsewhere/file"), NOWHERE, "read-only anyway");
	plan_release(&p);
}

Test(plan, private_home_hides_its_masks_and_shows_what_is_named)
{
	const struct plan_item items[] = {
		{ROLE_ROOT, "/home/u/work", true},
		{ROLE_MASK, "/home/u/.ssh", true},
		{ROLE_MASK, "/home/u/tools/secret", false},
		{ROLE_HOME_READ, "/home/u/tools", true},
	};
	struct plan p = build(items, 4, HOME_PRIVATE);

	cr_assert(at(&p, MOUNT_TMPFS, "/home/u") < at(&p, MOUNT_RO_BIND, "/home/u/tools"));
	cr_assert(at(&p, MOUNT_TMPFS, "/home/u") < at(&p, MOUNT_BIND, "/home/u/work"));
	cr_assert_eq(at(&p, MOUNT_MASK, "/home/u/.ssh"), NOWHERE);
	cr_assert_neq(at(&p, MOUNT_MASK, "/home/u/tools/secret"), NOWHERE);
	cr_assert_eq(plan_look(&p, p.n, "/home/u/other"), VIEW_PRIVATE);
	plan_release(&p);
}

Test(plan, masks_below_tmp_need_nothing)
{
	const struct plan_item items[] = {{ROLE_ROOT, "/tmp/p", true},
					  {ROLE_MASK, "/tmp/h/.ssh", true},
					  {ROLE_MASK, "/tmp/p/k", false}};
	struct plan p = build(items, 3, HOME_RO);

	cr_assert_eq(at(&p, MOUNT_MASK, "/tmp/h/.ssh"), NOWHERE);
	cr_assert_neq(at(&p, MOUNT_MASK, "/tmp/p/k"), NOWHERE);
	plan_release(&p);
}

Test(plan, folder_between_nested_roots_comes_before_the_inner_one)
{
	const struct plan_item items[] = {{ROLE_ROOT, "/p", true},
					  {ROLE_ROOT, "/p/sub/new", true},
					  {ROLE_PROTECT, "/p/sub/new/.claude", true}};
	struct plan p = build(items, 3, HOME_RO);

	cr_assert(at(&p, MOUNT_BIND, "/p") < at(&p, MOUNT_ANCESTOR, "/p/sub"));
	cr_assert(at(&p, MOUNT_ANCESTOR, "/p/sub") < at(&p, MOUNT_BIND, "/p/sub/new"));
	plan_release(&p);
}

static void refused(const struct plan_item *items, size_t n)
{
	struct plan p = {0};
	struct errctx e = {0};
	struct plan_in in = input(items, n);

	cr_assert_eq(plan_build(&in, &p, &e), E_DENIED);
	cr_assert(strstr(e.text, items[0].path), "%s", e.text);
}

Test(plan, contradictions_are_refused)
{
	refused((const struct plan_item[]){{ROLE_ROOT, "/p/a/b", true}, {ROLE_MASK, "/p/a", true}},
		2);
	refused((const struct plan_item[]){{ROLE_ROOT, "/p/a", true}, {ROLE_MASK, "/p/a", true}},
		2);
	refused((const struct plan_item[]){{ROLE_ROOT, "/p/.claude/w", true},
					   {ROLE_PROTECT, "/p/.claude", true}},
		2);
}

/* ---- properties ---- */

static unsigned state;

static unsigned next(unsigned below)
{
	state = state * 1103515245u + 12345u;
	return (state >> 16) % below;
}

static void random_path(char *out, size_t size)
{
	static const char *const parts[] = {"a", "b", "c.d", "e f", "-x"};
	size_t n = (size_t)snprintf(out, size, "/w");

	for (unsigned depth = 1 + next(5); depth > 0 && n < size; depth--)
		n += (size_t)snprintf(out + n, size - n, "/%s", parts[next(ARRAY_LEN(parts))]);
}

static bool covers(const char *top, const char *path)
{
	return pathstr_beneath(view_of(path), view_of(top));
}

static void check_properties(const struct plan *p, const struct plan_item *items, size_t n)
{
	bool masks = false;

	for (size_t i = 0; i < p->n; i++) {
		const struct plan_mount *m = &p->v[i];

		masks |= m->kind == MOUNT_MASK;
		cr_assert(!masks || m->kind == MOUNT_MASK, "every mask is last");
		if (m->kind == MOUNT_BIND || m->kind == MOUNT_ANCESTOR)
			for (size_t k = 1; k < i; k++)
				cr_assert(p->v[k].kind != MOUNT_RO_BIND ||
						  !covers(p->v[k].dest, m->dest),
					  "writable %s after read-only %s", m->dest, p->v[k].dest);
		if (m->kind == MOUNT_BIND || m->kind == MOUNT_ANCESTOR)
			for (size_t k = i + 1; k < p->n; k++)
				cr_assert((p->v[k].kind != MOUNT_BIND &&
					   p->v[k].kind != MOUNT_ANCESTOR) ||
						  !covers(p->v[k].dest, m->dest),
					  "%s is hidden by a later bind of %s", m->dest,
					  p->v[k].dest);
		if (m->kind == MOUNT_ANCESTOR)
			for (size_t k = i + 1; k < p->n; k++)
				cr_assert(p->v[k].kind != MOUNT_ANCESTOR ||
						  !(covers(p->v[k].dest, m->dest) &&
						    strcmp(p->v[k].dest, m->dest) != 0),
					  "ancestor %s before its parent %s", m->dest,
					  p->v[k].dest);
	}
	for (size_t i = 0; i < n; i++) {
		enum plan_view view = plan_look(p, p->n, items[i].path);

		if (items[i].role == ROLE_PROTECT)
			cr_assert(view == VIEW_HOST_RO || view == VIEW_MASKED, "%s is writable",
				  items[i].path);
		if (items[i].role == ROLE_MASK)
			cr_assert_eq(view, VIEW_MASKED, "%s is visible", items[i].path);
	}
}

/* Made after everything else, it covers what is below it and is covered by nothing. */
static void check_late(const struct plan *p, const struct plan_mount *m)
{
	for (size_t k = 0; k < p->n; k++) {
		const struct plan_mount *other = &p->v[k];

		if (other == m)
			continue;
		cr_assert(!pathstr_beneath(view_of(other->dest), view_of(m->dest)),
			  "%s is mounted in %s", other->dest, m->dest);
		if (pathstr_beneath(view_of(m->dest), view_of(other->dest)))
			cr_assert(other < m, "%s would have covered %s", other->dest, m->dest);
	}
}

Test(plan, properties_hold_for_random_trees)
{
	static char paths[24][256];
	struct plan_item items[24];
	unsigned built = 0, late = 0;

	for (unsigned round = 0; round < 4000; round++) {
		struct plan p = {0};
		struct errctx e = {0};
		size_t n = 2 + next(22);
		struct plan_in in = input(items, n);

		in.late_from = round % 2;
		state = round * 7919u + 1;
		for (size_t i = 0; i < n; i++) {
			static const enum role roles[] = {ROLE_ROOT, ROLE_PROTECT, ROLE_PROTECT,
							  ROLE_MASK};

			random_path(paths[i], sizeof(paths[i]));
			items[i] = (struct plan_item){roles[next(4)], paths[i], true};
		}
		if (plan_build(&in, &p, &e) < 0) {
			cr_assert_eq(e.code, E_DENIED);
			continue;
		}
		built++;
		check_properties(&p, items, n);
		for (size_t i = 0; i < p.n; i++) {
			late += p.v[i].late;
			if (p.v[i].late)
				check_late(&p, &p.v[i]);
		}
		plan_release(&p);
	}
	cr_assert_gt(built, 500u);
	cr_assert_gt(late, 200u);
}

static size_t count_late(const struct plan_item *items, size_t n, size_t late_from)
{
	struct plan p = {0};
	struct errctx e = {0};
	struct plan_in in = input(items, n);
	size_t late = 0;

	in.late_from = late_from;
	cr_assert_eq(plan_build(&in, &p, &e), 0, "%s", e.text);
	for (size_t i = 0; i < p.n; i++) {
		late += p.v[i].late;
		cr_expect(!p.v[i].late || (p.v[i].kind == MOUNT_RO_BIND &&
					   items[p.v[i].item].role == ROLE_PROTECT));
	}
	cr_expect_eq(late, p.n_late);
	plan_release(&p);
	return late;
}

Test(plan, late_are_many_protected_paths_with_no_mount_below)
{
	const struct plan_item items[] = {
		{ROLE_ROOT, "/w/p", true},
		{ROLE_PROTECT, "/w/p/a", false},
		{ROLE_PROTECT, "/w/p/b", false},
		{ROLE_PROTECT, "/w/p/dir", true},
		{ROLE_PROTECT, "/w/p/with", true},
		{ROLE_MASK, "/w/p/with/mask", false},
		{ROLE_PROTECT, "/elsewhere", true},
		{ROLE_RUN, "/run/x", false},
		{ROLE_HOME_READ, "/home/u/read", true},
	};

	cr_expect_eq(count_late(items, ARRAY_LEN(items), 0), 0u, "never");
	cr_expect_eq(count_late(items, ARRAY_LEN(items), 1), 3u);
	cr_expect_eq(count_late(items, ARRAY_LEN(items), 3), 3u);
	cr_expect_eq(count_late(items, ARRAY_LEN(items), 4), 0u, "too few");
}

/* ---- arguments ---- */

Test(bwrap_args, odd_paths_stay_one_word)
{
	const struct plan_item items[] = {{ROLE_ROOT, "/w/-- --ro-bind\n/etc 'x'", true}};
	struct plan p = build(items, 1, HOME_RO);
	struct buf b;
	int fds[64];
	struct bwrap_in in = {.plan = &p, .fds = fds, .bind_fd = true, .chdir = "/"};
	size_t words = 0, found = 0;

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fds[i] = 77;
	buf_init(&b, 1 << 20);
	bwrap_args_emit(&in, &b);
	cr_assert_eq(buf_error(&b), 0);
	cr_assert_eq(b.data[b.len - 1], '\0');
	for (size_t i = 0; i < b.len; i += strlen(b.data + i) + 1, words++)
		found += strcmp(b.data + i, items[0].path) == 0;
	cr_assert_eq(found, 1u);
	cr_assert_gt(words, 20u);
	buf_release(&b);
	plan_release(&p);
}

static bool has_words(const struct buf *b, const char *first, const char *second)
{
	for (size_t i = 0; i < b->len; i += strlen(b->data + i) + 1)
		if (strcmp(b->data + i, first) == 0 &&
		    strcmp(b->data + i + strlen(b->data + i) + 1, second) == 0)
			return true;
	return false;
}

Test(bwrap_args, late_mounts_are_not_its_business)
{
	const struct plan_item items[] = {{ROLE_ROOT, "/w", true}, {ROLE_PROTECT, "/w/a", false}};
	struct plan p = build(items, 2, HOME_RO);
	struct buf b;
	int fds[64];
	struct bwrap_in in = {.plan = &p, .fds = fds, .bind_fd = false, .chdir = "/"};

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fds[i] = 42;
	for (int late = 0; late < 2; late++) {
		for (size_t i = 0; i < p.n; i++)
			p.v[i].late = late && p.v[i].kind == MOUNT_RO_BIND;
		buf_init(&b, 1 << 20);
		bwrap_args_emit(&in, &b);
		cr_expect_eq(has_words(&b, "/proc/self/fd/42", "/w/a"), !late);
		buf_release(&b);
	}
	plan_release(&p);
}

Test(bwrap_args, without_bind_fd_the_descriptor_is_named)
{
	const struct plan_item items[] = {{ROLE_ROOT, "/w", true}};
	struct plan p = build(items, 1, HOME_RO);
	struct buf b;
	int fds[64];
	struct bwrap_in in = {.plan = &p, .fds = fds, .bind_fd = false, .chdir = "/"};

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fds[i] = 42;
	buf_init(&b, 1 << 20);
	bwrap_args_emit(&in, &b);
	cr_assert(has_words(&b, "--bind", "/proc/self/fd/42"));
	cr_assert(has_words(&b, "--cap-drop", "ALL"));
	cr_assert(has_words(&b, "--unshare-user", "--disable-userns"));
	buf_release(&b);
	plan_release(&p);
}
