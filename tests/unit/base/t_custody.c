/* SPDX-License-Identifier: MIT */
/* Operator's files: what nobody but root and the user can have written. */
#include "base/base.h"

#include "base/custody.h"

#include "base/limits.h"
#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

enum { STRANGER = 4321, MAX_BYTES = 100 };

static char path_256[400];
static const char *tree; /* NULL: the scratch folder */

static void give(const char *name, uid_t uid)
{
	cr_assert_eq(fchownat(scratch_fd(), name, uid, uid, AT_SYMLINK_NOFOLLOW), 0, "%s", name);
}

/* A tree that the user (1234 when the tests run as root) or root owns, with one fault at each
 * place. */
static void build(void)
{
	static char big[MAX_BYTES + 2];

	memset(big, 'b', sizeof(big) - 1);
	(void)make_scratch();
	put_dir("d", 0755);
	put_file("d/good", "secret", 0600);
	put_file("d/readable", "secret", 0644);
	put_file("d/group_reads", "secret", 0640);
	put_file("d/group_writes", "secret", 0620);
	put_file("d/others_write", "secret", 0602);
	put_file("d/empty", "", 0600);
	put_file("d/too_big", big, 0600);
	big[MAX_BYTES] = 0;
	put_file("d/just_fits", big, 0600);
	put_file("d/two_names", "secret", 0600);
	cr_assert_eq(linkat(scratch_fd(), "d/two_names", scratch_fd(), "d/other_name", 0), 0);
	put_link("good", "d/link");
	put_link("nowhere", "d/dangling");
	cr_assert_eq(mkfifoat(scratch_fd(), "d/fifo", 0600), 0);
	put_dir("d/folder", 0700);
	put_dir("group_writes", 0770);
	put_file("group_writes/good", "secret", 0600);
	put_dir("group_writes/in", 0700);
	put_file("group_writes/in/good", "secret", 0600);
	put_dir("others_write", 0707);
	put_file("others_write/good", "secret", 0600);
	put_dir("sticky", 01777);
	put_file("sticky/good", "secret", 0600);
	put_dir("sticky_group", 01770);
	put_file("sticky_group/good", "secret", 0600);
	put_link("d", "to_d");
	put_link("loop", "loop");
	put_dir("project", 0755);
	put_dir("project/sub", 0755);
	put_file("project/sub/good", "secret", 0600);
	put_dir("project-evil", 0755);
	put_file("project-evil/good", "secret", 0600);
	put_link("project/sub", "to_sub");
	memset(path_256, 'n', 256);
}

TestSuite(custody, .init = build, .fini = remove_scratch);

static const struct custody_case {
	const char *name;
	unsigned flags;
	int code;
	const char *rule; /* what the text names */
} cases[] = {
	{"d/good", CUSTODY_PRIVATE | CUSTODY_ONE_NAME, 0, NULL},
	{"d/good", CUSTODY_OPTIONAL, 0, NULL},
	{"d/./good", 0, 0, NULL},
	{"d//good", 0, 0, NULL},
	{"d/../d/folder/../good", 0, 0, NULL},
	{"../../../../../../../../../../etc/passwd", 0, E_TOOBIG, "/etc/passwd"},
	{"d/readable", CUSTODY_ONE_NAME, 0, NULL},
	{"d/readable", CUSTODY_PRIVATE, E_MODE, "d/readable"},
	{"d/group_reads", 0, 0, NULL},
	{"d/group_reads", CUSTODY_PRIVATE, E_MODE, "open to"},
	{"d/group_writes", 0, E_MODE, "d/group_writes"},
	{"d/others_write", 0, E_MODE, "d/others_write"},
	{"d/empty", CUSTODY_PRIVATE, 0, NULL},
	{"d/just_fits", 0, 0, NULL},
	{"d/too_big", 0, E_TOOBIG, "too big"},
	{"d/two_names", 0, 0, NULL},
	{"d/two_names", CUSTODY_ONE_NAME, E_HARDLINK, "several names"},
	{"d/link", 0, E_LINK, "symbolic link"},
	{"d/dangling", 0, E_LINK, "symbolic link"},
	{"d/dangling", CUSTODY_OPTIONAL, E_LINK, "symbolic link"},
	{"d/fifo", 0, E_NOTREG, "regular"},
	{"d/socket", 0, E_NOTREG, "regular"},
	{"d/folder", 0, E_NOTREG, "regular"},
	{"d/folder/", 0, E_NOTREG, "regular"},
	{"d/good/", 0, E_NOTDIR, "folder"},
	{"d/good/x", 0, E_NOTDIR, "good"},
	{"d/good/x", CUSTODY_OPTIONAL, E_NOTDIR, "good"},
	{"d/absent", 0, E_NOENT, "d/absent"},
	{"absent/good", 0, E_NOENT, "absent"},
	{"d/.", 0, E_SYNTAX, "no name"},
	{"d/..", 0, E_NOTREG, "regular"},
	{"group_writes/good", 0, E_MODE, "group_writes\""},
	{"group_writes/in/good", 0, E_MODE, "group_writes\""},
	{"others_write/good", 0, E_MODE, "others_write\""},
	{"sticky/good", CUSTODY_PRIVATE, 0, NULL},
	{"sticky_group/good", CUSTODY_PRIVATE, 0, NULL},
	{"loop/good", 0, E_LINK, "loop"},
	{"project/sub/good", 0, 0, NULL},
	{path_256, 0, E_TOOBIG, "length"},
};

static int read_it(const char *name, unsigned flags, int not_beneath, struct buf *out,
		   struct errctx *e)
{
	char path[1000];

	(void)snprintf(path, sizeof(path), "%s/%s", tree ? tree : scratch_path(), name);
	return custody_read(path, flags, MAX_BYTES, not_beneath, out, e);
}

static void try_case(const struct custody_case *c)
{
	struct buf out;
	struct errctx e = {0};
	int code;

	buf_init(&out, 4096);
	CHECK(buf_puts(&out, "before") == 0);
	code = read_it(c->name, c->flags, -1, &out, &e);
	if (code != c->code || (c->rule && !strstr(e.text, c->rule))) {
		(void)fprintf(stderr, "\"%s\": %s, not %s (%s)\n", c->name, err_name(code),
			      err_name(c->code), e.text);
		CHECK(false);
	}
	CHECK(e.code == code);
	CHECK(strncmp(buf_text(&out), "before", 6) == 0);
	if (code)
		CHECK(out.len == 6);
	else if (strstr(c->name, "good"))
		CHECK(strcmp(buf_text(&out), "beforesecret") == 0);
	buf_release(&out);
}

static void try_all(void *arg)
{
	int before = count_fds();

	(void)arg;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		try_case(&cases[i]);
	CHECK(count_fds() == before);
}

static void put_socket(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/d/socket", scratch_path());
	cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	(void)close(fd);
}

Test(custody, table_as_the_user_who_runs_the_test)
{
	put_socket();
	cr_assert(in_child(try_all, NULL));
}

static const char *const all_names[] = {
	"d",
	"d/good",
	"d/readable",
	"d/group_reads",
	"d/group_writes",
	"d/empty",
	"d/too_big",
	"d/just_fits",
	"d/two_names",
	"d/others_write",
	"d/link",
	"d/dangling",
	"d/fifo",
	"d/folder",
	"group_writes",
	"d/socket",
	"others_write",
	"group_writes/in",
	"sticky",
	"group_writes/good",
	"sticky/good",
	"project",
	"project/sub",
	"to_d",
	"others_write/good",
	"loop",
	"sticky_group",
	"to_sub",
	"project/sub/good",
	"sticky_group/good",
	"group_writes/in/good",
};

/* The same tree, all of it the ordinary user's: but for the loop, which root made no more. */
Test(custody, table_as_ordinary_user)
{
	put_socket();
	if (geteuid() == 0)
		for (size_t i = 0; i < ARRAY_LEN(all_names); i++)
			give(all_names[i], 1234);
	cr_assert(in_child_as_user(try_all, NULL));
}

static void strangers(void *arg)
{
	struct custody_case odd[] = {
		{"d/good", 0, E_OWNER, "d/good"},
		{"sticky/good", 0, E_OWNER, "sticky\""},
		{"project/sub/good", 0, E_OWNER, "project/sub\""},
	};

	(void)arg;
	for (size_t i = 0; i < ARRAY_LEN(odd); i++)
		try_case(&odd[i]);
}

Test(custody, what_belongs_to_others_is_refused)
{
	if (geteuid() != 0)
		skip_other_user("needs files of another user");
	give("d/good", STRANGER);
	give("sticky", STRANGER);
	give("project/sub", STRANGER);
	cr_assert(in_child(strangers, NULL));
	cr_assert(in_child_as_user(strangers, NULL));
}

/* Where root has no id, its folders (/ at least) are shown as nobody's, and so are a stranger's;
 * with root's id those are refused everywhere, see strangers(). */
static void without_root(void *arg)
{
	const bool *given = arg;
	struct custody_case odd[] = {
		{"d/good", 0, 0, NULL},
		{"sticky/strangers/good", 0, E_OWNER, "strangers\""},
		{"d/empty", 0, E_OWNER, "d/empty"},
	};
	struct stat st;

	CHECK(prctl(PR_SET_DUMPABLE, 1) ==
	      0); /* a change of the user took it away, and with it /proc/self */
	CHECK(enter_namespaces());
	CHECK(stat("/", &st) == 0 && st.st_uid != 0);
	/* The folder for temporary files is in /tmp, and somebody else's perhaps. */
	tree = "/mnt";
	CHECK(mount(scratch_path(), tree, NULL, MS_BIND, NULL) == 0);
	for (size_t i = 0; i < (*given ? ARRAY_LEN(odd) : 1); i++)
		try_case(&odd[i]);
}

Test(custody, folders_of_a_root_without_an_id)
{
	bool given = geteuid() == 0;

	if (!need_namespaces())
		return;
	if (given) {
		cr_assert_eq(fchown(scratch_fd(), 1234, 1234), 0);
		for (size_t i = 0; i < ARRAY_LEN(all_names); i++)
			if (strcmp(all_names[i], "d/socket") != 0)
				give(all_names[i], 1234);
		put_dir("sticky/strangers", 0755);
		put_file("sticky/strangers/good", "secret", 0600);
		give("sticky/strangers/good", 1234);
		give("sticky/strangers", STRANGER);
		give("d/empty", STRANGER);
	}
	cr_assert(in_child_as_user(without_root, &given));
}

static void root_owned(void *arg)
{
	struct custody_case mine[] = {
		{"d/readable", 0, 0, NULL},
		{"to_d/readable", 0, 0, NULL}, /* a link that root made */
	};

	(void)arg;
	for (size_t i = 0; i < ARRAY_LEN(mine); i++)
		try_case(&mine[i]);
}

static void own_link(void *arg)
{
	struct custody_case mine[] = {{"to_d/readable", 0, E_LINK, "root didn't make"}};

	(void)arg;
	try_case(&mine[0]);
}

Test(custody, links_above_only_if_root_made_them)
{
	if (geteuid() != 0) {
		cr_assert(in_child(own_link, NULL));
		return;
	}
	cr_assert(in_child(root_owned, NULL));
	cr_assert(in_child_as_user(root_owned, NULL));
	give("to_d", 1234);
	cr_assert(in_child_as_user(own_link, NULL));
	cr_assert(in_child(own_link, NULL));
}

Test(custody, absent_and_optional_says_nothing)
{
	auto_buf struct buf out = {0};
	struct errctx e = {0};

	buf_init(&out, 100);
	cr_expect_eq(read_it("d/absent", CUSTODY_OPTIONAL, -1, &out, &e), E_NOENT);
	cr_expect_eq(read_it("absent/good", CUSTODY_OPTIONAL, -1, &out, &e), E_NOENT);
	cr_expect_eq(e.code, 0);
	cr_expect_eq(e.text[0], 0);
	cr_expect_null(out.data);
	cr_expect_eq(custody_read("relative", CUSTODY_OPTIONAL, 100, -1, &out, &e), E_SYNTAX);
	cr_expect_eq(custody_read("", CUSTODY_OPTIONAL, 100, -1, &out, &e), E_SYNTAX);
	cr_expect_eq(custody_read("/", CUSTODY_OPTIONAL, 100, -1, &out, &e), E_SYNTAX);
}

Test(custody, never_in_the_project)
{
	auto_buf struct buf out = {0};
	auto_fd int project = openat(scratch_fd(), "project", O_PATH | O_CLOEXEC);
	auto_fd int slash = open("/", O_PATH | O_CLOEXEC);
	struct errctx e = {0};

	buf_init(&out, 100);
	cr_expect_eq(read_it("project/sub/good", 0, project, &out, &e), E_OUTSIDE);
	cr_expect_not_null(strstr(e.text, "project"));
	if (geteuid() == 0)
		cr_expect_eq(read_it("to_sub/good", 0, project, &out, &e), E_OUTSIDE);
	cr_expect_eq(read_it("d/../project/sub/good", 0, project, &out, &e), E_OUTSIDE);
	cr_expect_eq(read_it("d/good", 0, slash, &out, &e), E_OUTSIDE);
	cr_expect_eq(read_it("d/good", 0, project, &out, &e), 0);
	cr_expect_eq(read_it("project-evil/good", 0, project, &out, &e), 0);
	cr_expect_eq(read_it("d/good", 0, 999, &out, &e), E_SYS);
}

Test(custody, devices_are_not_opened)
{
	auto_buf struct buf out = {0};

	buf_init(&out, 100);
	cr_expect_eq(custody_read("/dev/null", 0, 100, -1, &out, NULL), E_NOTREG);
}

static void spoil(int fd, int how)
{
	struct timespec tick = {0, 20000000};
	int writer = openat(scratch_fd(), "d/good", O_WRONLY | O_APPEND | O_CLOEXEC);

	(void)fd;
	(void)nanosleep(&tick, NULL);
	switch (how) {
	case 0:
		cr_assert_eq(write(writer, "!", 1), 1);
		break;
	case 1:
		cr_assert_eq(pwrite(writer, "SECRET", 6, 0), 6);
		break;
	case 2:
		cr_assert_eq(unlinkat(scratch_fd(), "d/good", 0), 0);
		break;
	case 3:
		cr_assert_eq(renameat(scratch_fd(), "d/readable", scratch_fd(), "d/good"), 0);
		break;
	default:
		break;
	}
	(void)close(writer);
}

Test(custody, change_while_reading_is_seen)
{
	char path[400];

	(void)snprintf(path, sizeof(path), "%s/d/good", scratch_path());
	for (int how = 0; how < 5; how++) {
		auto_fd int fd = -1;
		struct stat st;

		(void)unlinkat(scratch_fd(), "d/good", 0);
		put_file("d/good", "secret", 0600);
		cr_assert_eq(custody_open(path, 0, 100, -1, &fd, &st, NULL), 0);
		cr_expect_eq(st.st_size, 6);
		cr_expect_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
		spoil(fd, how);
		cr_expect_eq(custody_recheck(fd, &st, NULL), how == 4 ? 0 : E_CHANGED, "%d", how);
	}
}

/* While somebody exchanges the file for a link, a stranger's file, a FIFO: the secret or an error,
 * never anything else, and never a wait. */
static void exchange(void)
{
	for (;;) {
		(void)renameat2(scratch_fd(), "d/good", scratch_fd(), "d/evil", RENAME_EXCHANGE);
		(void)renameat2(scratch_fd(), "d/good", scratch_fd(), "d/evil_link",
				RENAME_EXCHANGE);
		(void)renameat2(scratch_fd(), "d/good", scratch_fd(), "d/fifo", RENAME_EXCHANGE);
		(void)renameat2(scratch_fd(), "d/good", scratch_fd(), "d/folder", RENAME_EXCHANGE);
	}
}

static void read_often(void *arg)
{
	struct buf out;
	int good = 0, refused = 0;

	(void)arg;
	buf_init(&out, 100);
	for (int i = 0; i < 3000 || (good == 0 && i < 100000); i++) {
		int code;

		buf_clear(&out);
		code = read_it("d/good", CUSTODY_PRIVATE, -1, &out, NULL);
		CHECK(code != 0 || strcmp(buf_text(&out), "secret") == 0);
		good += code == 0;
		refused += code != 0;
	}
	CHECK(good > 0 && refused > 0);
	buf_release(&out);
}

Test(custody, exchanged_files_are_never_read, .timeout = 60)
{
	pid_t attacker;

	put_file("d/evil", "evil", 0602);
	put_link("evil", "d/evil_link");
	if (geteuid() == 0)
		give("d/evil", STRANGER);
	attacker = fork_child();
	if (attacker == 0)
		exchange();
	cr_expect(in_child(read_often, NULL));
	kill_child(attacker);
}

static int open_dir(const char *name, unsigned flags, int *ret_fd)
{
	char path[400];

	(void)snprintf(path, sizeof(path), "%s/%s", scratch_path(), name);
	return custody_open_dir(path, flags, ret_fd, NULL);
}

Test(custody, folders_by_the_same_rules)
{
	static const struct {
		const char *name;
		unsigned flags;
		int code;
	} dirs[] = {
		{"d", 0, 0},
		{"d/", 0, 0},
		{"d/folder", CUSTODY_PRIVATE | CUSTODY_ONE_NAME, 0},
		{"d", CUSTODY_PRIVATE, E_MODE},
		{"group_writes", 0, E_MODE},
		{"group_writes/in", 0, E_MODE},
		{"others_write", 0, E_MODE},
		{"sticky", 0, E_MODE}, /* what is in it can be anybody's */
		{"d/good", 0, E_NOTDIR},
		{"to_d", 0, E_LINK},
		{"absent", 0, E_NOENT},
		{"absent", CUSTODY_OPTIONAL, E_NOENT},
		{"absent/d", CUSTODY_OPTIONAL, E_NOENT},
	};
	int before = count_fds();

	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		int fd = -7, code = open_dir(dirs[i].name, dirs[i].flags, &fd);

		cr_expect_eq(code, dirs[i].code, "%s: %s", dirs[i].name, err_name(code));
		if (code == 0) {
			cr_expect_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
			cr_expect_eq(fsync(fd), 0, "open for reading");
			(void)close(fd);
		} else {
			cr_expect_eq(fd, -7);
		}
	}
	cr_expect_eq(count_fds(), before);
}

static void expect_home(const char *home, const char *wanted)
{
	auto_buf struct buf out = {0};
	struct errctx e = {0};

	buf_init(&out, 4096);
	if (home)
		cr_assert_eq(setenv("HOME", home, 1), 0);
	else
		cr_assert_eq(unsetenv("HOME"), 0);
	cr_expect_eq(custody_home(&out, &e), 0, "%s", e.text);
	cr_expect_str_eq(buf_text(&out), wanted);
}

static void homeless(void *arg)
{
	struct buf out;
	struct errctx e = {0};

	(void)arg;
	buf_init(&out, 4096);
	CHECK(unsetenv("HOME") == 0);
	CHECK(custody_home(&out, &e) == E_MISSING);
	CHECK(strstr(e.text, "1234"));
	CHECK(setenv("HOME", "/somewhere", 1) == 0);
	CHECK(custody_home(&out, &e) == 0);
}

Test(custody, home_is_absolute_or_from_the_user_database)
{
	expect_home("/home/x", "/home/x");
	expect_home("/home/x//", "/home/x");
	expect_home("/", "/");
	if (geteuid() != 0)
		return;
	expect_home(NULL, "/root");
	expect_home("relative", "/root");
	expect_home("", "/root");
	cr_expect(in_child_as_user(homeless, NULL));
}

static struct {
	long nr;
	int number;
} failing;

static void failing_call(void *arg)
{
	struct buf out;
	struct errctx e = {0};
	int fd = -7, code;

	(void)arg;
	buf_init(&out, 100);
	deny_syscall(failing.nr, failing.number);
	code = read_it("d/good", 0, -1, &out, &e);
	CHECK(code < 0 && e.code == code && e.text[0]);
	CHECK(out.len == 0);
	if (failing.nr != SYS_read)
		CHECK(open_dir("d", 0, &fd) < 0 && fd == -7);
}

Test(custody, each_call_fails_with_each_number)
{
	static const long calls[] = {SYS_openat, SYS_newfstatat, SYS_read};
	static const int numbers[] = {EIO,    EACCES, EPERM, EINTR,  EAGAIN,  ENOMEM, EBADF,
				      EMFILE, ENFILE, ELOOP, ENOENT, ENOTDIR, ESTALE};

	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		for (size_t k = 0; k < ARRAY_LEN(numbers); k++) {
			failing.nr = calls[i];
			failing.number = numbers[k];
			cr_expect(in_child(failing_call, NULL), "call %ld errno %d", calls[i],
				  numbers[k]);
		}
}
