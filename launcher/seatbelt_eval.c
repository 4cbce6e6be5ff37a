/* SPDX-License-Identifier: MIT */
/*
 * What a profile answers: the last rule whose operation and filter match wins, a rule without a
 * filter matches everything (file 11, sections 2 and 9.4). Pure (patterns are compiled for the
 * call). Tested by tests/unit/launcher/t_seatbelt_eval.c.
 */
#include "base/base.h"

#include "launcher/seatbelt.h"

#include "base/pathstr.h"
#include "launcher/seatbelt_tree.h"

#include <regex.h>

static const struct {
	const char *family;
	const char *name;
} operations[] = {
	{NULL, "default"},
	{NULL, "file-write*"},
	{"file-write*", "file-write-data"},
	{"file-write*", "file-write-create"},
	{"file-write*", "file-write-unlink"},
	{"file-write*", "file-write-mode"},
	{"file-write*", "file-write-owner"},
	{"file-write*", "file-write-flags"},
	{"file-write*", "file-write-times"},
	{"file-write*", "file-write-xattr"},
	{"file-write*", "file-write-setugid"},
	{NULL, "file-read*"},
	{"file-read*", "file-read-data"},
	{"file-read*", "file-read-metadata"},
	{"file-read*", "file-read-xattr"},
	{NULL, "process-exec*"},
	{"process-exec*", "process-exec"},
	{"process-exec*", "process-exec-interpreter"},
	{NULL, "network*"},
	{"network*", "network-inbound"},
	{"network*", "network-outbound"},
	{"network*", "network-bind"},
};

const char *seatbelt_operation(struct view word)
{
	for (size_t i = 0; i < ARRAY_LEN(operations); i++)
		if (view_is(word, operations[i].name))
			return operations[i].name;
	return NULL;
}

bool seatbelt_operation_is_single(const char *operation)
{
	for (size_t i = 0; i < ARRAY_LEN(operations); i++)
		if (strcmp(operations[i].name, operation) == 0)
			return operations[i].family != NULL;
	return false;
}

bool seatbelt_operation_covers(const char *named, const char *single)
{
	if (strcmp(named, "default") == 0 || strcmp(named, single) == 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(operations); i++)
		if (operations[i].family && strcmp(operations[i].name, single) == 0)
			return strcmp(operations[i].family, named) == 0;
	return false;
}

static const char *param_value(const struct seatbelt_params *params, const char *name)
{
	if (strcmp(name, "WORKSPACE_ROOT") == 0)
		return params->workspace;
	return strcmp(name, "HOME_DIR") == 0 ? params->home : NULL;
}

static bool path_matches(const struct seatbelt_filter *f, const struct seatbelt_params *params,
			 const char *target)
{
	const char *front = f->param ? param_value(params, f->param) : "";
	size_t n = front ? strlen(front) : 0, m = strlen(f->text);

	if (!front || strncmp(target, front, n) != 0 || strncmp(target + n, f->text, m) != 0)
		return false;
	/* "/" alone holds everything; else what follows has to start a new component. */
	if (target[n + m] == 0)
		return true;
	return f->kind == FILTER_SUBPATH &&
	       (target[n + m] == '/' || (n + m == 1 && target[0] == '/'));
}

static bool regex_matches(const char *pattern, const char *target)
{
	regex_t re;
	bool yes;

	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	yes = regexec(&re, target, 0, NULL, 0) == 0;
	regfree(&re);
	return yes;
}

static bool remote_matches(const char *filter, const char *target)
{
	const char *port = strchr(filter, ':'), *to = strrchr(target, ':');
	bool any_host = filter[0] == '*', loopback;

	if (!to)
		return false;
	loopback = strncmp(target, "localhost:", 10) == 0 ||
		   strncmp(target, "127.0.0.1:", 10) == 0 || strncmp(target, "[::1]:", 6) == 0;
	if (!any_host && !loopback)
		return false;
	return !port || strcmp(port, ":*") == 0 || strcmp(port, to) == 0;
}

static bool filter_matches(const struct seatbelt_filter *f, const struct seatbelt_params *params,
			   const char *target)
{
	switch (f->kind) {
	case FILTER_SUBPATH:
	case FILTER_LITERAL:
		return path_matches(f, params, target);
	case FILTER_REGEX:
		return regex_matches(f->text, target);
	case FILTER_REMOTE_IP:
		return remote_matches(f->text, target);
	}
	return false;
}

static bool rule_matches(const struct seatbelt_rule_node *r, const struct seatbelt_params *params,
			 const char *operation, const char *target)
{
	bool covered = false;

	for (size_t i = 0; i < r->n_operations && !covered; i++)
		covered = seatbelt_operation_covers(r->operations[i], operation);
	if (!covered || r->n_filters == 0)
		return covered;
	for (size_t i = 0; i < r->n_filters; i++)
		if (filter_matches(&r->filters[i], params, target))
			return true;
	return false;
}

enum verdict seatbelt_eval(const struct seatbelt_profile *p, const struct seatbelt_params *params,
			   const char *operation, const char *target)
{
	static const struct seatbelt_params none = {NULL, NULL};

	if (!seatbelt_operation_is_single(operation))
		return VERDICT_NONE;
	for (size_t i = p->n_rules; i-- > 0;)
		if (rule_matches(&p->rules[i], params ? params : &none, operation, target))
			return p->rules[i].allow ? VERDICT_ALLOW : VERDICT_DENY;
	return p->default_allow ? VERDICT_ALLOW : VERDICT_DENY;
}
