/* SPDX-License-Identifier: MIT */
/* No way to be woken on this system: the loop polls. */
#include "base/base.h"

#include "mcp/watch.h"

void watch_init(struct watch *w)
{
	*w = (struct watch){-1, -1};
}
void watch_release(struct watch *w unused_arg)
{
}
void watch_begin(struct watch *w unused_arg, int root_fd unused_arg)
{
}
void watch_end(struct watch *w unused_arg)
{
}
void watch_drain(struct watch *w unused_arg)
{
}
