/* SPDX-License-Identifier: MIT */
/* The log: time, ids, verdict, rules, digest and the first bytes of the command, masked. Passes
 * aren't logged: a hook that is called for every tool would fill the disk. Test:
 * tests/e2e/t0402-gate-rules.tap. */
#include "base/base.h"

#include "gate/audit.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/jsonw.h"
#include "gate/mask.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

enum { SHOWN_BYTES = 200, LINE_BYTES = 8192 };

int audit_open(const char *path, int *ret_fd, struct errctx *e)
{
	auto_fd int fd =
		open(path,
		     O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		     0600);
	struct stat st;

	if (fd < 0)
		return errno == ELOOP ? err_set(e, E_LINK, "the log \"%s\" is a link", path)
				      : err_sys(e, "open the log \"%s\"", path);
	if (fstat(fd, &st) != 0)
		return err_sys(e, "look at the log \"%s\"", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, E_NOTREG, "the log \"%s\" is no regular file", path);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return err_set(e, E_OWNER, "the log \"%s\" belongs to somebody else", path);
	*ret_fd = steal_fd(&fd);
	return 0;
}

int audit_write(int fd, int64_t now, const struct event *ev, struct view command,
		const struct answer *a, struct errctx *e)
{
	auto_buf struct buf b;
	struct jsonw w;
	struct arena mem;
	struct text shown;
	char digest[SHA256_HEX + 1], when[26];

	buf_init(&b, LINE_BYTES);
	arena_init(&mem, 1 << 20);
	if (setjmp(mem.full) != 0) {
		arena_release(&mem);
		return err_set(e, E_NOMEM, "no memory for the log");
	}
	text_init(&shown, &mem);
	if (command.len > SHOWN_BYTES) {
		command.len = SHOWN_BYTES;
		while (command.len && ((unsigned char)command.ptr[command.len] & 0xc0) == 0x80)
			command.len--;
	}
	sha256_hex(command, digest);
	mask_text(&shown, command);
	clock_iso8601(now, when);
	jsonw_init(&w, &b, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "time", when);
	jsonw_kv_str(&w, "session", ev->session);
	jsonw_kv_str(&w, "call", ev->call);
	jsonw_kv_str(&w, "tool", ev->tool);
	jsonw_kv_cstr(&w, "verdict", verdict_name(a->verdict));
	jsonw_key(&w, "rules");
	jsonw_arr(&w);
	for (uint32_t i = 0; i < a->n_findings && i < 16; i++)
		jsonw_cstr(&w, a->findings[i].rule);
	jsonw_arr_end(&w);
	jsonw_kv_cstr(&w, "sha256", digest);
	jsonw_kv_str(&w, "command", text_view(&shown));
	jsonw_kv_cstr(&w, "version", PACKAGE_VERSION);
	jsonw_obj_end(&w);
	(void)buf_putc(&b, '\n');
	arena_release(&mem);
	if (buf_error(&b))
		return err_set(e, buf_error(&b), "the log line can't be written");
	if (io_write_all(fd, buf_text(&b), buf_view(&b).len) != 0)
		return err_sys(e, "write the log");
	return 0;
}
