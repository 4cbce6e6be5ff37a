/* SPDX-License-Identifier: MIT */
/* Owned lists of words, and the release of a run's state. Pure (allocates). */
#include "base/base.h"
#include "launcher/launch.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>

int strings_add(struct strings *s, const char *word, struct errctx *e)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 16;
		char **v = reallocarray(s->v, cap, sizeof(*v));

		if (!v)
			return err_set(e, E_NOMEM, "no memory");
		s->v = v;
		s->cap = cap;
	}
	s->v[s->n] = strdup(word);
	if (!s->v[s->n])
		return err_set(e, E_NOMEM, "no memory");
	s->n++;
	return 0;
}

int strings_addf(struct strings *s, struct errctx *e, const char *format, ...)
{
	va_list ap;
	auto_free char *text = NULL;
	int n;

	va_start(ap, format);
	n = vasprintf(&text, format, ap);
	va_end(ap);
	if (n < 0) {
		text = NULL;
		return err_set(e, E_NOMEM, "no memory");
	}
	return strings_add(s, text, e);
}

void strings_release(struct strings *s)
{
	for (size_t i = 0; i < s->n; i++) {
		explicit_bzero(s->v[i], strlen(s->v[i])); /* values of variables may be secrets */
		free(s->v[i]);
	}
	free(s->v);
	*s = (struct strings){0};
}

bool strings_has(const struct strings *s, const char *word)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i], word) == 0)
			return true;
	return false;
}

void launch_release(struct launch *l)
{
	objects_release(&l->objects);
	object_release(&l->upper);
	object_release(&l->bwrap);
	if (l->stage2_fd >= 0)
		(void)close(l->stage2_fd);
	l->stage2_fd = -1;
	strings_release(&l->env);
	strings_release(&l->notes);
	strings_release(&l->present);
	strings_release(&l->placeholders);
	plan_release(&l->plan);
	free(l->items);
	free(l->home);
	free(l->cwd);
	free(l->run_dir);
	free(l->private_dir);
	l->items = NULL;
	l->home = l->cwd = l->run_dir = l->private_dir = NULL;
}
