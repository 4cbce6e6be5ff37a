/* SPDX-License-Identifier: MIT */
/* Randomness from the kernel, and ids. System; ends the process if the kernel has no randomness.
 * Tested by tests/unit/base/t_rand.c. */
#include "base/base.h"

#include "base/rand.h"

#include "base/clock.h"
#include "base/hex.h"

#include <errno.h>
#ifdef HAVE_GETRANDOM
#include <sys/random.h>
#endif

void rand_bytes(void *out, size_t n)
{
#ifdef HAVE_GETRANDOM
	char *p = out;

	while (n > 0) {
		ssize_t got = getrandom(p, n, 0);

		if (got < 0 && errno == EINTR)
			continue; /* only while the kernel's pool fills at boot */
		if (got <= 0)
			abort(); /* a guessable id or nonce is worse than no process */
		p += got;
		n -= (size_t)got;
	}
#else
	arc4random_buf(out, n);
#endif
}

void rand_token(char out[ID_HEX + 1])
{
	uint8_t bytes[ID_HEX / 2];

	rand_bytes(bytes, sizeof(bytes));
	hex_encode(out, bytes, sizeof(bytes));
}

void rand_id(char out[ID_HEX + 1])
{
	uint8_t bytes[ID_HEX / 2];
	int64_t now = clock_wall_ns();
	uint64_t ms = (uint64_t)(now / 1000000), part = (uint64_t)(now % 1000000) * 65536 / 1000000;

	for (int i = 5; i >= 0; i--, ms >>= 8)
		bytes[i] = (uint8_t)ms;
	bytes[6] = (uint8_t)(part >> 8);
	bytes[7] = (uint8_t)part;
	rand_bytes(bytes + 8, sizeof(bytes) - 8);
	hex_encode(out, bytes, sizeof(bytes));
}
