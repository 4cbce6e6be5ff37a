/* SPDX-License-Identifier: MIT */
/* Two signed slots in one file outside the project. System. Failure rule: E_FORGED, the caller
 * stops service. Tests: tests/unit/runner/t_ledger.c, tests/fault/runner-kill.tap. */
#include "base/base.h"

#include "runner/anchor.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/custody.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/jsonw.h"
#include "base/limits.h"
#include "base/pathfd.h"
#include "runner/key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

static int64_t boot_ms_now(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_BOOTTIME, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Empty where the kernel has none: then a jump is never claimed. */
static void boot_id_now(char out[BOOT_ID_CHARS + 1])
{
	auto_fd int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	out[0] = '\0';
	if (fd >= 0 && read(fd, out, BOOT_ID_CHARS) == BOOT_ID_CHARS)
		out[BOOT_ID_CHARS] = '\0';
	else
		out[0] = '\0';
}

static int copy_str(struct view line, const char *name, char *out, size_t size)
{
	struct view v;

	if (mac_line_str(line, name, &v) != 0 || v.len >= size)
		return E_FORGED;
	memcpy(out, v.ptr, v.len);
	out[v.len] = '\0';
	return 0;
}

/* Reads one slot into *a if it verifies and is newer than what is there. */
static void read_slot(struct anchor *a, const char *slot, bool *found, bool *foreign)
{
	struct anchor s = *a;
	struct view line = {slot, ANCHOR_SLOT};
	char project[SHA256_HEX + 1];

	while (line.len && (line.ptr[line.len - 1] == ' ' || line.ptr[line.len - 1] == '\n'))
		line.len--;
	if (line.len == 0 || mac_verify(a->key, line) != 0 ||
	    copy_str(line, "project", project, sizeof(project)) != 0 ||
	    copy_str(line, "last", s.last, sizeof(s.last)) != 0 ||
	    copy_str(line, "boot", s.boot, sizeof(s.boot)) != 0 ||
	    mac_line_int(line, "serial", &s.serial) != 0 ||
	    mac_line_int(line, "count", &s.count) != 0 ||
	    mac_line_int(line, "boot_ms", &s.boot_ms) != 0 ||
	    mac_line_int(line, "wall", &s.wall_s) != 0)
		return;
	if (strcmp(project, a->project) != 0) {
		*foreign = true;
		return;
	}
	if (!*found || s.serial > a->serial)
		*a = s;
	*found = true;
}

int anchor_open(struct anchor *a, int dir_fd, const char *name, struct view root_path,
		const struct mac_key *key, struct errctx *e)
{
	char text[2 * ANCHOR_SLOT];
	bool found = false, foreign = false;
	struct stat st;
	ssize_t n;
	int rc;

	*a = (struct anchor){.fd = -1, .key = key};
	boot_id_now(a->boot_now); /* once: a confined process can't ask again */
	sha256_hex(root_path, a->project);
	rc = pathfd_open(dir_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600, LINKS_NONE,
			 &a->fd, e);
	if (rc != 0)
		return rc;
	if (fstat(a->fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
	    st.st_uid != geteuid())
		return err_set(e, E_OWNER, "the anchor %s is no plain file of this user", name);
	n = pread(a->fd, text, sizeof(text), 0);
	if (n < 0)
		return err_sys(e, "the anchor %s can't be read", name);
	if (n == 0)
		return fsync(dir_fd) == 0 ? 0 : err_sys(e, "the folder of anchors");
	memset(text + n, ' ', sizeof(text) - (size_t)n);
	read_slot(a, text, &found, &foreign);
	read_slot(a, text + ANCHOR_SLOT, &found, &foreign);
	if (!found)
		return err_set(e, E_FORGED,
			       foreign ? "the anchor %s belongs to another project"
				       : "no slot of the anchor %s verifies with this key",
			       name);
	return 0;
}

void anchor_close(struct anchor *a)
{
	if (a->fd >= 0)
		(void)close(a->fd); /* every slot was synced when it was written */
	a->fd = -1;
}

static int emit_slot(const struct anchor *a, struct buf *out)
{
	struct jsonw w;
	size_t at;

	jsonw_init(&w, out, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "boot", a->boot);
	jsonw_kv_int(&w, "boot_ms", a->boot_ms);
	jsonw_kv_int(&w, "count", a->count);
	jsonw_kv_cstr(&w, "last", a->last);
	at = out->len;
	jsonw_kv_cstr(&w, "project", a->project);
	jsonw_kv_int(&w, "serial", a->serial);
	jsonw_kv_int(&w, "v", 1);
	jsonw_kv_int(&w, "wall", a->wall_s);
	jsonw_obj_end(&w);
	return buf_error(out) ? buf_error(out) : mac_seal(a->key, out, at);
}

int anchor_set(struct anchor *a, int64_t count, const char *last, bool durable, struct errctx *e)
{
	struct anchor next = *a;
	auto_buf struct buf text;
	int rc;

	next.serial++;
	next.count = count;
	(void)snprintf(next.last, sizeof(next.last), "%s", last);
	memcpy(next.boot, a->boot_now, sizeof(next.boot));
	next.boot_ms = boot_ms_now();
	next.wall_s = clock_wall_s();
	buf_init(&text, ANCHOR_SLOT);
	rc = emit_slot(&next, &text);
	while (rc == 0 && text.len < ANCHOR_SLOT - 1)
		rc = buf_putc(&text, ' ');
	if (rc == 0)
		rc = buf_putc(&text, '\n');
	if (rc != 0)
		return err_set(e, rc, "the anchor can't be written: %s", err_name(rc));
	if (fault_point("anchor-write") ||
	    pwrite(a->fd, text.data, ANCHOR_SLOT, (next.serial & 1) ? 0 : ANCHOR_SLOT) !=
		    ANCHOR_SLOT)
		return err_sys(e, "the anchor can't be written");
	if (fault_point("anchor-sync") || (durable && fdatasync(a->fd) != 0))
		return err_sys(e, "the anchor can't be made durable");
	*a = next;
	return 0;
}

int64_t anchor_clock_jump(const struct anchor *a)
{
	int64_t expected;

	if (a->serial == 0 || !a->boot_now[0] || strcmp(a->boot_now, a->boot) != 0)
		return 0;
	expected = a->wall_s + (boot_ms_now() - a->boot_ms) / 1000;
	return clock_wall_s() - expected;
}

int anchor_open_folder(int *ret_fd, struct errctx *e)
{
	auto_buf struct buf home, path;
	auto_fd int home_fd = -1, made_fd = -1;
	int rc;

	buf_init(&home, MAX_PATH_BYTES);
	buf_init(&path, MAX_PATH_BYTES);
	rc = custody_home(&home, e);
	if (rc == 0)
		rc = custody_open_dir(buf_text(&home), 0, &home_fd, e);
	if (rc == 0)
		rc = pathfd_make_dirs(home_fd, ".config/agentteams/anchors", 0700, &made_fd, e);
	if (rc == 0)
		rc = key_operator_path("/anchors", &path, e);
	if (rc != 0)
		return rc;
	return custody_open_dir(buf_text(&path), CUSTODY_PRIVATE, ret_fd, e);
}
