/* SPDX-License-Identifier: MIT */
/*
 * Loader and interpreters of allowed programs. The kernel opens both for execution, so a list
 * without them would allow nothing. Stated limits: a loader that is allowed maps any file, and an
 * allowed interpreter runs any script. System. Covered by tests/e2e/launcher-limits.tap.
 */
#include "base/base.h"
#include "launcher/exec_list.h"

#include "base/limits.h"

#include <elf.h>
#include <fcntl.h>

static const char *const loaders[] = {
	"/lib64/ld-linux-x86-64.so.2",	    "/lib/ld-linux-aarch64.so.1",
	"/lib/ld-linux-riscv64-lp64d.so.1", "/lib64/ld64.so.2",
	"/lib/ld-musl-x86_64.so.1",	    "/lib/ld-musl-aarch64.so.1",
};

static int add_path(const char *path, bool required, struct strings *ret, struct errctx *e)
{
	struct object o = {.fd = -1};
	struct errctx mine = {0};
	int r = object_open(path, false, &o, &mine);

	if (r < 0)
		return required ? err_set(e, r, "--exec-allow: %s", mine.text) : 0;
	r = strings_has(ret, o.path) ? 0 : strings_add(ret, o.path, e);
	object_release(&o);
	return r;
}

/* The path after PT_INTERP, or after "#!"; the head of the file is enough for both. */
static int add_interpreter(const char *path, unsigned depth, struct strings *ret, struct errctx *e)
{
	char head[4096 + 1];
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd >= 0 ? read(fd, head, sizeof(head) - 1) : -1;
	Elf64_Ehdr eh;

	if (n < 2)
		return 0;
	head[n] = '\0';
	if (head[0] == '#' && head[1] == '!') {
		char *at = head + 2 + strspn(head + 2, " \t");

		at[strcspn(at, " \t\n")] = '\0';
		if (add_path(at, false, ret, e) < 0)
			return E_NOMEM;
		return depth ? add_interpreter(at, depth - 1, ret, e) : 0;
	}
	if (n < (ssize_t)sizeof(eh) || memcmp(head, ELFMAG, SELFMAG) != 0 ||
	    head[EI_CLASS] != ELFCLASS64)
		return 0;
	memcpy(&eh, head, sizeof(eh));
	for (unsigned i = 0; i < eh.e_phnum && i < 64; i++) {
		size_t at = eh.e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr ph;

		if (at > (size_t)n || (size_t)n - at < sizeof(ph))
			break;
		memcpy(&ph, head + at, sizeof(ph));
		if (ph.p_type == PT_INTERP && ph.p_offset < (size_t)n && ph.p_filesz > 0 &&
		    ph.p_filesz <= (size_t)n - ph.p_offset) {
			head[ph.p_offset + ph.p_filesz - 1] = '\0';
			return add_path(head + ph.p_offset, false, ret, e);
		}
	}
	return 0;
}

int exec_list_expand(const struct words *allow, struct strings *ret, struct errctx *e)
{
	bool folder = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < allow->n; i++) {
		struct stat st;

		r = add_path(allow->v[i], true, ret, e);
		if (r == 0 && stat(allow->v[i], &st) == 0 && S_ISDIR(st.st_mode))
			folder = true;
		else if (r == 0)
			r = add_interpreter(allow->v[i], 2, ret, e);
	}
	for (size_t i = 0; r == 0 && folder && i < ARRAY_LEN(loaders); i++)
		r = add_path(loaders[i], false, ret, e);
	return r;
}
