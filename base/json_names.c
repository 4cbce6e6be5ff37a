/* SPDX-License-Identifier: MIT */
/* Duplicate member names, found by sorting hashes of the unescaped names. Pure (allocates). Tested
 * by tests/unit/base/t_json.c, t_nomem.c and tests/fuzz/fuzz_json.c. */
#include "base/base.h"

#include "base/json_names.h"
#include "base/json_scan.h"
#include "base/limits.h"
#include "base/sort.h"

enum {
	PAIRWISE = 12, /* up to here comparing all pairs beats sorting */
	MAX_ESCAPED_KEY_BYTES = 6 * MAX_JSON_KEY_BYTES, /* each byte as \u00XX */
};

/* A name of a run with one hash, unescaped. */
struct plain {
	const char *bytes;
	size_t len;
	const struct json_name *name;
};

void json_names_init(struct json_names *s)
{
	s->list = s->first;
	s->n = 0;
	s->cap = ARRAY_LEN(s->first);
}

void json_names_release(struct json_names *s)
{
	if (s->list != s->first)
		free(s->list);
}

static bool is_escaped(struct view raw)
{
	return view_chr(raw, '\\') != NULL;
}

static uint32_t hash_bytes(const char *p, size_t n)
{
	uint32_t h = 2166136261U; /* FNV-1a */

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * 16777619U;
	return h;
}

static bool hash_escaped(struct view raw, uint32_t *ret)
{
	char bytes[MAX_JSON_KEY_BYTES];
	size_t len;

	if (!json_unescape(raw, bytes, sizeof(bytes), &len))
		return false;
	*ret = hash_bytes(bytes, len);
	return true;
}

/* False if the name is too long. */
static bool hash_name(struct view raw, uint32_t *ret)
{
	if (raw.len > MAX_ESCAPED_KEY_BYTES)
		return false;
	if (is_escaped(raw))
		return hash_escaped(raw, ret);
	*ret = hash_bytes(raw.ptr, raw.len);
	return raw.len <= MAX_JSON_KEY_BYTES;
}

static int grow(struct json_names *s)
{
	bool is_first = s->list == s->first;
	size_t cap = s->cap * 2;
	struct json_name *list = NULL;

	if (cap <= SIZE_MAX / sizeof(*list))
		list = realloc(is_first ? NULL : s->list, cap * sizeof(*list));
	if (!list)
		return E_NOMEM;
	if (is_first)
		memcpy(list, s->first, sizeof(s->first));
	s->list = list;
	s->cap = cap;
	return 0;
}

int json_names_add(struct json_names *s, struct view raw)
{
	uint32_t hash;

	if (!hash_name(raw, &hash))
		return E_TOOBIG;
	if (s->n == s->cap && grow(s))
		return E_NOMEM;
	s->list[s->n++] = (struct json_name){raw.ptr, (uint32_t)raw.len, hash};
	return 0;
}

static bool same_escaped(struct view a, struct view b)
{
	char bytes_a[MAX_JSON_KEY_BYTES], bytes_b[MAX_JSON_KEY_BYTES];
	size_t len_a, len_b;

	/* Both fit: hash_name() saw to it. */
	return json_unescape(a, bytes_a, sizeof(bytes_a), &len_a) &&
	       json_unescape(b, bytes_b, sizeof(bytes_b), &len_b) &&
	       view_eq((struct view){bytes_a, len_a}, (struct view){bytes_b, len_b});
}

static bool is_same(const struct json_name *a, const struct json_name *b)
{
	struct view raw_a = {a->raw, a->len}, raw_b = {b->raw, b->len};

	if (a->hash != b->hash)
		return false;
	if (is_escaped(raw_a) || is_escaped(raw_b))
		return same_escaped(raw_a, raw_b);
	return view_eq(raw_a, raw_b);
}

/* Notes that a and b are the same: the later one is a twin, and the earliest twin counts. */
static void note_twin(const struct json_name *a, const struct json_name *b, struct json_name *twin)
{
	const struct json_name *later = a->raw > b->raw ? a : b;

	if (!twin->raw || later->raw < twin->raw)
		*twin = *later;
}

static int compare_plain(const void *left, const void *right)
{
	const struct plain *a = left, *b = right;
	int order;

	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	order = memcmp(a->bytes, b->bytes, a->len);
	if (order)
		return order;
	return a->name->raw < b->name->raw ? -1 : a->name->raw > b->name->raw;
}

/* Many names of one hash are an attack. Each is unescaped once; a shorter way would do it in every
 * comparison. */
static int sort_run(const struct json_name *run, size_t n, struct json_name *twin)
{
	auto_free struct plain *plain = NULL;
	auto_free char *bytes = NULL;
	size_t used = 0, room = 1;

	for (size_t i = 0; i < n; i++)
		room += run[i].len; /* parts of one text: no overflow */
	bytes = malloc(room);
	plain = malloc(n * sizeof(*plain));
	if (!bytes || !plain)
		return E_NOMEM;
	for (size_t i = 0; i < n; i++) {
		struct view raw = {run[i].raw, run[i].len};

		plain[i] = (struct plain){bytes + used, 0, &run[i]};
		if (!json_unescape(raw, bytes + used, room - used, &plain[i].len))
			return E_INTERNAL; /* unescaping never makes longer */
		used += plain[i].len;
	}
	sort_in_place(plain, n, sizeof(*plain), compare_plain);
	for (size_t i = 1; i < n; i++)
		if (view_eq((struct view){plain[i - 1].bytes, plain[i - 1].len},
			    (struct view){plain[i].bytes, plain[i].len}))
			note_twin(plain[i - 1].name, plain[i].name, twin);
	return 0;
}

static int find_in_run(const struct json_name *run, size_t n, struct json_name *twin)
{
	if (n > PAIRWISE)
		return sort_run(run, n, twin);
	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (is_same(&run[i], &run[k]))
				note_twin(&run[i], &run[k], twin);
	return 0;
}

static int compare_hashes(const void *left, const void *right)
{
	const struct json_name *a = left, *b = right;

	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

static int find_twin(struct json_name *names, size_t n, struct json_name *twin)
{
	size_t start = 0;

	if (n <= PAIRWISE)
		return find_in_run(names, n, twin);
	sort_in_place(names, n, sizeof(*names), compare_hashes);
	for (size_t i = 1; i <= n; i++) {
		int r;

		if (i < n && names[i].hash == names[start].hash)
			continue;
		r = find_in_run(names + start, i - start, twin);
		if (r)
			return r;
		start = i;
	}
	return 0;
}

int json_names_take(struct json_names *s, size_t from, struct view *ret_twin)
{
	struct json_name twin = {NULL, 0, 0};
	int r = find_twin(s->list + from, s->n - from, &twin);

	if (r)
		return r;
	s->n = from;
	*ret_twin = (struct view){twin.raw, twin.len};
	return 0;
}
