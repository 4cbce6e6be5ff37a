/* SPDX-License-Identifier: MIT */
/*
 * Pinned files of gates. System. Failure rule: a file that can't be read ends the start, and
 * service later on. Tests: tests/e2e/runner-gates.tap.
 */
#include "base/base.h"

#include "runner/gate_pins.h"

#include "base/hash.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/pathfd.h"
#include "base/pathstr.h"
#include "policy/write.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct gate_pin {
	char *rel;
	struct stat st;
	char sha256[SHA256_HEX + 1];
};

struct gate_pins {
	struct gate_pin *pin;
	size_t n;
};

void gate_pins_free(struct gate_pins *p)
{
	for (size_t i = 0; p && i < p->n; i++)
		free(p->pin[i].rel);
	if (p)
		free(p->pin);
	free(p);
}

/* 0 with *ret_file false: there is no such file. */
static int read_one(int root_fd, struct gate_pin *p, bool *ret_file, struct errctx *e)
{
	auto_buf struct buf text = {0};
	auto_fd int fd = -1;
	struct errctx why = {0};
	int rc = pathfd_open(root_fd, p->rel, O_RDONLY | O_NONBLOCK, 0, LINKS_BENEATH, &fd, &why);

	*ret_file = false;
	if (rc == E_NOENT || rc == E_NOTDIR)
		return 0;
	if (rc != 0)
		return err_set(e, rc, "%s, which a gate names: %s", p->rel, why.text);
	if (fstat(fd, &p->st) != 0)
		return err_sys(e, "%s", p->rel);
	if (!S_ISREG(p->st.st_mode))
		return 0;
	buf_init(&text, MAX_BASE_FILE_BYTES + 1);
	rc = io_read_all(fd, &text, MAX_BASE_FILE_BYTES);
	if (rc != 0)
		return err_set(e, rc, "%s, which a gate names, can't be pinned: %s", p->rel,
			       err_name(rc));
	sha256_hex(buf_view(&text), p->sha256);
	*ret_file = true;
	return 0;
}

static int check_cover(const struct brief *b, const struct brief_gate *g, const char *rel,
		       struct errctx *e)
{
	for (size_t i = 0; i < b->n_agents; i++)
		for (size_t k = 0; k < b->agents[i].scopes.n; k++)
			if (policy_scope_covers(b->agents[i].scopes.item[k], view_of(rel)))
				return err_set(e, E_DENIED,
					       "gate \"%.*s\" uses %s, which agent \"%.*s\" may "
					       "change",
					       (int)g->name.len, g->name.ptr, rel,
					       (int)b->agents[i].slug.len, b->agents[i].slug.ptr);
	for (size_t i = 0; i < b->n_jails; i++)
		for (size_t k = 0; k < b->jails[i].write.n; k++) {
			char root[MAX_PATH_BYTES + 1];

			int n = pathstr_clean(b->jails[i].write.item[k], root, sizeof(root));

			if (n < 0 || (strncmp(rel, root, (size_t)n) == 0 && rel[n] == '/'))
				return err_set(e, E_DENIED,
					       "gate \"%.*s\" uses %s, which lies in a write root "
					       "of agent \"%.*s\"",
					       (int)g->name.len, g->name.ptr, rel,
					       (int)b->jails[i].slug.len, b->jails[i].slug.ptr);
		}
	return 0;
}

/* The path below the root that an argument means, as the gate would see it from the root. */
static bool names_inside(struct view v, const char *root_path, char rel[MAX_PATH_BYTES + 1])
{
	size_t n = strlen(root_path);

	if (v.len > n + 1 && memcmp(v.ptr, root_path, n) == 0 && v.ptr[n] == '/')
		v = (struct view){v.ptr + n + 1, v.len - n - 1};
	return pathstr_check_relative(v) == 0 && pathstr_clean(v, rel, MAX_PATH_BYTES + 1) >= 0;
}

static int add(struct gate_pins *p, const struct brief *b, const struct brief_gate *g,
	       struct view v, int root_fd, const char *root_path, struct errctx *e)
{
	char rel[MAX_PATH_BYTES + 1];
	struct gate_pin pin = {0}, *more;
	bool is_file = false;
	int rc;

	if (!names_inside(v, root_path, rel))
		return 0;
	pin.rel = rel;
	rc = read_one(root_fd, &pin, &is_file, e);
	if (rc != 0 || !is_file)
		return rc;
	rc = check_cover(b, g, rel, e);
	if (rc != 0)
		return rc;
	more = reallocarray(p->pin, p->n + 1, sizeof(*more));
	if (!more)
		return err_set(e, E_NOMEM, "no memory");
	p->pin = more;
	pin.rel = strdup(rel);
	if (!pin.rel)
		return err_set(e, E_NOMEM, "no memory");
	more[p->n++] = pin;
	return 0;
}

int gate_pins_load(const struct brief *b, int root_fd, const char *root_path,
		   struct gate_pins **ret, struct errctx *e)
{
	struct gate_pins *p = calloc(1, sizeof(*p));
	int rc = p ? 0 : err_set(e, E_NOMEM, "no memory");

	for (size_t i = 0; i < b->n_gates && rc == 0; i++)
		for (size_t k = 0; k < b->gates[i].argv.n && rc == 0; k++)
			rc = add(p, b, &b->gates[i], b->gates[i].argv.item[k], root_fd, root_path,
				 e);
	if (rc != 0) {
		gate_pins_free(p);
		return rc;
	}
	*ret = p;
	return 0;
}

static bool unchanged(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

int gate_pins_check(const struct gate_pins *p, int root_fd, struct errctx *e)
{
	for (size_t i = 0; p && i < p->n; i++) {
		struct gate_pin now = {.rel = p->pin[i].rel};
		auto_fd int fd = -1;
		struct stat st;
		bool is_file = false;

		if (pathfd_open(root_fd, now.rel, O_RDONLY | O_NONBLOCK, 0, LINKS_BENEATH, &fd,
				NULL) == 0 &&
		    fstat(fd, &st) == 0 && unchanged(&st, &p->pin[i].st))
			continue;
		if (read_one(root_fd, &now, &is_file, NULL) != 0 || !is_file ||
		    strcmp(now.sha256, p->pin[i].sha256) != 0)
			return err_set(e, E_CHANGED, "%s, which a gate uses, changed", now.rel);
	}
	return 0;
}
