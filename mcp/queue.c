/* SPDX-License-Identifier: MIT */
/* Client of the request queue. Effects: creates request and ack files, removes own unclaimed
 * requests. Tested by tests/e2e/mcp-queue.tap. */
#include "base/base.h"

#include "mcp/queue.h"

#include "base/atomicfile.h"
#include "base/clock.h"
#include "base/hex.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/lock.h"
#include "base/pathfd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* Sorts behind every "<id>.json". */
#define LAST_NAME "g"

/* ".<id>.tmp", "<id>.json" */
struct names {
	char temp[ID_HEX + 6];
	char final[ID_HEX + 6];
};

static struct names names_of(const char *id)
{
	struct names n;

	(void)snprintf(n.temp, sizeof(n.temp), ".%s.tmp", id);
	(void)snprintf(n.final, sizeof(n.final), "%s.json", id);
	return n;
}

static int64_t heartbeat_age(int dir_fd)
{
	char text[MAX_HEARTBEAT_BYTES + 1];
	auto_fd int fd = -1;
	ssize_t n;
	char *end;
	double beat;

	if (pathfd_open(dir_fd, "runner.heartbeat", O_RDONLY | O_NONBLOCK, 0, LINKS_NONE, &fd,
			NULL) != 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return -1;
	text[n] = 0;
	beat = strtod(text, &end);
	/* In this order, since a comparison with not-a-number is false. */
	if (end == text || !(beat >= 0 && beat < 1e12))
		return -1;
	return clock_wall_s() > (int64_t)beat ? clock_wall_s() - (int64_t)beat : 0;
}

void queue_look_for_runner(int root_fd, struct queue_runner *ret)
{
	auto_fd int dir_fd = -1;

	*ret = (struct queue_runner){false, -1};
	if (pathfd_open_dir(root_fd, ".agentteams", &dir_fd, NULL) != 0 ||
	    lock_probe(dir_fd, "runner.lock", &ret->alive, NULL) != 0) {
		ret->alive = false;
		return;
	}
	if (ret->alive)
		ret->beat_age_s = heartbeat_age(dir_fd);
}

int queue_put(int root_fd, struct view request, char ret_id[ID_HEX + 1], struct errctx *e)
{
	struct atomicfile file = {.fd = -1};
	auto_fd int dir_fd = -1;
	char id[ID_HEX + 1];
	struct names names;
	int err;

	if (request.len > MAX_REQUEST_BYTES)
		return err_set(e, E_TOOBIG,
			       "the request has %zu bytes when written out, at most %d are allowed",
			       request.len, MAX_REQUEST_BYTES);
	rand_id(id);
	names = names_of(id);
	err = pathfd_open_dir(root_fd, QUEUE_REQUESTS_DIR, &dir_fd, e);
	if (err)
		return err;
	err = atomicfile_begin(&file, dir_fd, names.final, names.temp, 0600, e);
	if (!err)
		err = atomicfile_write(&file, request, e);
	if (!err)
		err = atomicfile_commit(&file, COMMIT_NEW, NULL, e);
	atomicfile_abort(&file);
	/* A failure behind the rename (the folder's fsync) leaves the request in place: take it
	 * back, and if that is too late say that it is queued, which is the truth. */
	if (err && (!file.renamed || unlinkat(dir_fd, names.final, 0) == 0))
		return err;
	memcpy(ret_id, id, sizeof(id));
	return 0;
}

int queue_read_result(int root_fd, const char *id, struct buf *out, struct errctx *e)
{
	struct names names = names_of(id);
	auto_fd int dir_fd = -1;
	auto_fd int fd = -1;
	struct stat st;
	int err = pathfd_open_dir(root_fd, QUEUE_RESULTS_DIR, &dir_fd, e);

	if (!err)
		err = pathfd_open(dir_fd, names.final, O_RDONLY | O_NONBLOCK, 0, LINKS_NONE, &fd,
				  e);
	if (err)
		return err;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "result file");
	if (!S_ISREG(st.st_mode))
		return err_set(e, E_NOTREG, "the result is no regular file");
	if (st.st_uid != geteuid())
		return err_set(e, E_OWNER, "the result file belongs to somebody else");
	err = io_read_all(fd, out, MAX_RESULT_READ_BYTES);
	if (err)
		return err_set(e, err, "can't read the result: %s", err_name(err));
	return 0;
}

int queue_acknowledge(int root_fd, const char *id, struct view token, struct errctx *e)
{
	auto_fd int dir_fd = -1;
	auto_fd int fd = -1;
	int err = pathfd_open_dir(root_fd, QUEUE_ACKS_DIR, &dir_fd, e);

	if (!err)
		err = pathfd_open(dir_fd, id, O_WRONLY | O_CREAT | O_NONBLOCK, 0600, LINKS_NONE,
				  &fd, e);
	if (err)
		return err;
	err = io_write_all(fd, token.ptr, token.len);
	if (!err && close(steal_fd(&fd)) < 0)
		err = E_SYS;
	return err ? err_set(e, err, "can't write the acknowledgement: %s", err_name(err)) : 0;
}

static bool exists_in(int root_fd, const char *dir, const char *name)
{
	auto_fd int dir_fd = -1;
	struct stat st;

	return pathfd_open_dir(root_fd, dir, &dir_fd, NULL) == 0 &&
	       fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Ids begin with their time, so the names that sort before this one were queued before it. */
static size_t count_before(int root_fd, const char *folder, const char *name)
{
	int dir_fd = -1;
	size_t n = 0;
	DIR *dir;

	if (pathfd_open_dir(root_fd, folder, &dir_fd, NULL) != 0)
		return 0;
	dir = fdopendir(dir_fd);
	if (!dir) {
		(void)close(dir_fd);
		return 0;
	}
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
		if (strlen(entry->d_name) == ID_HEX + 5 &&
		    hex_is_lower((struct view){entry->d_name, ID_HEX}, ID_HEX) &&
		    strcmp(entry->d_name, name) < 0)
			n++;
	(void)closedir(dir);
	return n;
}

enum queue_place queue_place_of(int root_fd, const char *id, size_t *ahead)
{
	struct names names = names_of(id);

	/* One runner serves both channels; what it has claimed, a command that runs for instance,
	   it works on before this one. Claimed meanwhile, it would count itself: look again. */
	if (exists_in(root_fd, QUEUE_REQUESTS_DIR, names.final)) {
		size_t n =
			ahead ? count_before(root_fd, QUEUE_CLAIMED_DIR, LAST_NAME) +
					count_before(root_fd, QUEUE_REQUESTS_DIR, names.final) +
					count_before(root_fd, QUEUE_ORCHESTRATOR_DIR, names.final)
			      : 0;

		if (exists_in(root_fd, QUEUE_REQUESTS_DIR, names.final)) {
			if (ahead)
				*ahead = n;
			return QUEUE_WAITING;
		}
	}
	return exists_in(root_fd, QUEUE_CLAIMED_DIR, names.final) ? QUEUE_CLAIMED : QUEUE_GONE;
}

int queue_withdraw(int root_fd, const char *id, struct errctx *e)
{
	struct names names = names_of(id);
	auto_fd int dir_fd = -1;
	int err = pathfd_open_dir(root_fd, QUEUE_REQUESTS_DIR, &dir_fd, e);

	if (err)
		return err;
	if (unlinkat(dir_fd, names.final, 0) < 0)
		return err_sys(e, "take back request %s", id);
	return 0;
}
