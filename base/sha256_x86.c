/* SPDX-License-Identifier: MIT */
/*
 * FIPS 180-4 compression by SHA256RNDS2, SHA256MSG1 and SHA256MSG2. Pure. Held against libsodium
 * for every length by tests/unit/base/t_hash.c; hash.c uses it only where the processor has the
 * instructions.
 */
#include "base/base.h"

#include "base/sha256_x86.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <cpuid.h>
#include <immintrin.h>

static const uint32_t round_keys[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

bool sha256_x86_has(void)
{
	static int known; /* 0: not asked, 1: no, 2: yes; the answer never changes */
	unsigned a = 0, b = 0, c = 0, d = 0;

	if (known == 0) {
		bool sse = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1) && (c & bit_SSSE3);

		known = sse && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1U << 29)) ? 2 : 1;
	}
	return known == 2;
}

__attribute__((target("sha,sse4.1,ssse3"))) void sha256_x86_blocks(uint32_t state[8],
								   const uint8_t *data,
								   size_t blocks)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
	__m128i abef, cdgh, t;

	/* The instructions want the words as ABEF and CDGH. */
	t = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)state), 0xb1);
	cdgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(state + 4)), 0x1b);
	abef = _mm_alignr_epi8(t, cdgh, 8);
	cdgh = _mm_blend_epi16(cdgh, t, 0xf0);
	for (; blocks > 0; blocks--, data += 64) {
		__m128i abef_before = abef, cdgh_before = cdgh, w[4];

		for (int i = 0; i < 16; i++) {
			__m128i k = _mm_loadu_si128(
				(const __m128i *)(const void *)(round_keys + 4 * i));

			if (i < 4) {
				w[i] = _mm_shuffle_epi8(
					_mm_loadu_si128(
						(const __m128i *)(const void *)(data + 16 * i)),
					swap);
			} else {
				/* w[t] = w[t-16] + s0(w[t-15]) + w[t-7] + s1(w[t-2]), four at once
				 */
				__m128i last = w[(i + 3) & 3];
				__m128i seven = _mm_alignr_epi8(last, w[(i + 2) & 3], 4);

				t = _mm_add_epi32(_mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]),
						  seven);
				w[i & 3] = _mm_sha256msg2_epu32(t, last);
			}
			t = _mm_add_epi32(w[i & 3], k);
			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, t);
			abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(t, 0x0e));
		}
		abef = _mm_add_epi32(abef, abef_before);
		cdgh = _mm_add_epi32(cdgh, cdgh_before);
	}
	t = _mm_shuffle_epi32(abef, 0x1b);
	cdgh = _mm_shuffle_epi32(cdgh, 0xb1);
	_mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(t, cdgh, 0xf0));
	_mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(cdgh, t, 8));
}

#else

bool sha256_x86_has(void)
{
	return false;
}

void sha256_x86_blocks(uint32_t state[8] unused_arg, const uint8_t *data unused_arg,
		       size_t blocks unused_arg)
{
	abort(); /* nobody may get here: sha256_x86_has() is false */
}

#endif
