/* SPDX-License-Identifier: MIT */
/*
 * What a profile of ours may never hold (file 11, section 9.3). The parser has already refused
 * unknown words, so that "no-sandbox" and "syscall" can't stand in a profile at all. Pure. Tested
 * by tests/unit/launcher/t_seatbelt_parse.c.
 */
#include "base/base.h"

#include "launcher/seatbelt.h"

#include "launcher/egress_host.h"
#include "launcher/seatbelt_tree.h"

static int complain(struct errctx *e, unsigned line, const char *what)
{
	return err_set(e, E_DENIED, "line %u: %s", line, what);
}

static bool is_file_rule(const struct seatbelt_rule_node *r)
{
	for (size_t i = 0; i < r->n_operations; i++)
		if (strncmp(r->operations[i], "file-", 5) != 0 &&
		    strncmp(r->operations[i], "process-", 8) != 0)
			return false;
	return true;
}

static int lint_path(const struct seatbelt_filter *f, bool allow, struct errctx *e)
{
	struct errctx why = {0};

	if (f->param) {
		if (strcmp(f->param, "WORKSPACE_ROOT") != 0 && strcmp(f->param, "HOME_DIR") != 0)
			return complain(e, f->line, "unknown parameter");
		if (f->text[0] == 0)
			return 0;
		/* What is appended has to be as clean as a path of its own; a link's name is
		 * harmless there. */
		if (seatbelt_check_path(f->text, &why) != 0 && why.code != E_LINK)
			return complain(e, f->line,
					"what is appended to a parameter is no clean path");
		return 0;
	}
	if (!allow && strcmp(f->text, "/") == 0)
		return 0;
	if (seatbelt_check_path(f->text, &why) != 0)
		return complain(e, f->line, why.text);
	return 0;
}

static int lint_filter(const struct seatbelt_rule_node *r, const struct seatbelt_filter *f,
		       struct errctx *e)
{
	unsigned port;

	switch (f->kind) {
	case FILTER_SUBPATH:
	case FILTER_LITERAL:
		if (!is_file_rule(r))
			return complain(e, f->line,
					"a path in a rule that isn't about files or programs");
		return lint_path(f, r->allow, e);
	case FILTER_REGEX:
		if (r->allow)
			return complain(e, f->line, "an allow rule with a pattern");
		return is_file_rule(r)
			       ? 0
			       : complain(e, f->line, "a pattern in a rule that isn't about files");
	case FILTER_REMOTE_IP:
		if (is_file_rule(r))
			return complain(e, f->line, "an address in a rule about files");
		if (strncmp(f->text, "localhost:", 10) != 0 ||
		    egress_port_parse(view_of(f->text + 10), &port) != 0)
			return complain(e, f->line, "an address other than localhost:PORT");
		return 0;
	}
	return complain(e, f->line, "a filter of no kind");
}

static bool speaks_of(const struct seatbelt_rule_node *r, const char *operation)
{
	for (size_t i = 0; i < r->n_operations; i++)
		if (strncmp(r->operations[i], operation, strlen(operation)) == 0)
			return true;
	return false;
}

static int lint_rule(const struct seatbelt_rule_node *r, struct errctx *e)
{
	if (r->n_filters == 0 && r->allow)
		return complain(e, r->line, "an allow rule without a filter allows everything");
	if (r->n_filters == 0 && !(r->n_operations == 1 && strchr(r->operations[0], '*')))
		return complain(e, r->line, "a denial without a filter is for a whole family only");
	if (speaks_of(r, "default"))
		return complain(e, r->line, "a second default");
	for (size_t i = 0; i < r->n_filters; i++) {
		int rc = lint_filter(r, &r->filters[i], e);

		if (rc)
			return rc;
	}
	return 0;
}

int seatbelt_lint(const struct seatbelt_profile *p, struct errctx *e)
{
	bool protected = false, write_closed = false;

	for (size_t i = 0; i < p->n_rules; i++) {
		const struct seatbelt_rule_node *r = &p->rules[i];
		bool write = speaks_of(r, "file-write");
		int rc = lint_rule(r, e);

		if (rc)
			return rc;
		if (write && !r->allow && r->n_filters == 0)
			write_closed = true;
		if (write && !r->allow && r->n_filters)
		protected = true;
		if (write && r->allow && protected)
			return complain(e, r->line, "a write is allowed again after the denials");
	}
	return write_closed ? 0 : err_set(e, E_DENIED, "no rule denies writes as a whole");
}
