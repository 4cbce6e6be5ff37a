/* SPDX-License-Identifier: MIT */
/* Order of service. Pure (allocates once). Tests: tests/unit/runner/t_arrivals.c. */
#include "base/base.h"

#include "runner/arrivals.h"

#include "base/hex.h"

struct arrivals {
	struct arrival heap[N_CHANNELS][QUEUE_BATCH]; /* the newest of the kept ones on top */
	size_t n[N_CHANNELS];
	bool full;
	int64_t newest_ns, limit_ns;
	struct arrival sorted[N_CHANNELS * QUEUE_BATCH];
	size_t n_sorted;
};

struct arrivals *arrivals_new(void)
{
	struct arrivals *a = calloc(1, sizeof(struct arrivals));

	if (a)
		a->limit_ns = INT64_MAX;
	return a;
}

void arrivals_free(struct arrivals *a)
{
	free(a);
}

bool arrivals_is_request(const char *name)
{
	return strlen(name) == REQUEST_NAME && strcmp(name + ID_HEX, ".json") == 0 &&
	       hex_is_lower((struct view){name, ID_HEX}, ID_HEX);
}

static int order(const void *va, const void *vb)
{
	const struct arrival *a = va, *b = vb;

	if (a->changed_ns != b->changed_ns)
		return a->changed_ns < b->changed_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void sift_down(struct arrival *heap, size_t n, size_t i)
{
	for (;;) {
		size_t top = i, left = 2 * i + 1, right = left + 1;
		struct arrival t;

		if (left < n && order(&heap[left], &heap[top]) > 0)
			top = left;
		if (right < n && order(&heap[right], &heap[top]) > 0)
			top = right;
		if (top == i)
			return;
		t = heap[i];
		heap[i] = heap[top];
		heap[top] = t;
		i = top;
	}
}

static void sift_up(struct arrival *heap, size_t i)
{
	while (i > 0 && order(&heap[i], &heap[(i - 1) / 2]) > 0) {
		struct arrival t = heap[i];

		heap[i] = heap[(i - 1) / 2];
		heap[(i - 1) / 2] = t;
		i = (i - 1) / 2;
	}
}

void arrivals_add(struct arrivals *a, enum channel c, const char *name, int64_t changed_ns)
{
	struct arrival *heap = a->heap[c];
	struct arrival one = {.changed_ns = changed_ns, .channel = c};

	if (changed_ns > a->limit_ns) {
		a->full = true;
		return;
	}
	if (changed_ns > a->newest_ns)
		a->newest_ns = changed_ns;
	memcpy(one.name, name, sizeof(one.name));
	if (a->n[c] < QUEUE_BATCH) {
		heap[a->n[c]] = one;
		sift_up(heap, a->n[c]++);
		return;
	}
	a->full = true;
	if (order(&one, &heap[0]) < 0) {
		heap[0] = one;
		sift_down(heap, a->n[c], 0);
	}
}

void arrivals_look_again(struct arrivals *a)
{
	a->limit_ns = a->newest_ns;
	a->full = false;
	memset(a->n, 0, sizeof(a->n));
}

void arrivals_sort(struct arrivals *a)
{
	a->n_sorted = 0;
	for (unsigned c = 0; c < N_CHANNELS; c++) {
		memcpy(a->sorted + a->n_sorted, a->heap[c], a->n[c] * sizeof(struct arrival));
		a->n_sorted += a->n[c];
	}
	qsort(a->sorted, a->n_sorted, sizeof(struct arrival), order);
}

size_t arrivals_count(const struct arrivals *a)
{
	return a->n_sorted;
}

const struct arrival *arrivals_at(const struct arrivals *a, size_t i)
{
	return &a->sorted[i];
}

bool arrivals_is_full(const struct arrivals *a)
{
	return a->full;
}
