/* SPDX-License-Identifier: MIT */
/* The one use of libsodium in the gate. Test: tests/e2e/t0402-gate-rules.tap. */
#include "base/base.h"

#include "gate/approve.h"

#include <sodium.h>

bool signature_valid(const uint8_t signature[64], struct view message, const uint8_t key[32])
{
	return crypto_sign_verify_detached(signature, (const unsigned char *)message.ptr,
					   message.len, key) == 0;
}
