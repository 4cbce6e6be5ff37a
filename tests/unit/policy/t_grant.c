/* SPDX-License-Identifier: MIT */
/* Direct grants: the table of cases, with a case on either side of each rule. */
#include "base/base.h"

#include "policy/grant.h"

#include <criterion/criterion.h>
#include <stdio.h>

struct gcase {
	struct grant_query q;
	struct view scope[8], glob[8];
	size_t n_scopes, n_globs;
};

static void take(struct gcase *c, const char *word)
{
	const struct {
		const char *name;
		int64_t *at;
	} numbers[] = {{"issued=", &c->q.issued},      {"expires=", &c->q.expires},
		       {"max=", &c->q.max_writes},     {"now=", &c->q.now},
		       {"first=", &c->q.first_row},    {"last=", &c->q.last_row},
		       {"used=", &c->q.used},	       {"uses=", &c->q.nonce_uses},
		       {"until=", &c->q.nonce_expires}};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		size_t n = strlen(numbers[i].name);

		if (strncmp(word, numbers[i].name, n) == 0) {
			*numbers[i].at = strtoll(word + n, NULL, 10);
			return;
		}
	}
	if (strncmp(word, "scope=", 6) == 0)
		c->scope[c->n_scopes++] = view_of(word + 6);
	else if (strncmp(word, "glob=", 5) == 0)
		c->glob[c->n_globs++] = view_of(word + 5);
	else if (strncmp(word, "revoked=", 8) == 0)
		c->q.revoked = word[8] == '1';
	else
		cr_assert_fail("%s", word);
}

static struct decision ask(const struct gcase *c, const char *question)
{
	if (strcmp(question, "times") == 0)
		return policy_grant_times(&c->q);
	if (strcmp(question, "use") == 0)
		return policy_grant_use(&c->q);
	cr_assert_str_eq(question, "scopes");
	return policy_grant_scopes(c->scope, c->n_scopes, c->glob, c->n_globs);
}

Test(grant, every_rule_has_a_case_on_either_side)
{
	const char *top = getenv("TOP_SRCDIR");
	char name[512], line[512];
	bool denied[64] = {false}, allowed[64] = {false};
	size_t n;
	FILE *f;

	(void)snprintf(name, sizeof(name), "%s/tests/cases/grant.cases", top ? top : ".");
	f = fopen(name, "r");
	cr_assert_not_null(f, "%s", name);
	while (fgets(line, sizeof(line), f)) {
		struct gcase c = {.q = {.issued = 1000,
					.expires = 5000,
					.max_writes = 50,
					.now = 2000,
					.nonce_uses = 10,
					.nonce_expires = 3000}};
		char whole[512], *save = NULL;
		const char *verdict, *rule, *question, *word;
		struct decision d;
		int number;

		if (line[0] == '#' || line[0] == '\n')
			continue;
		(void)snprintf(whole, sizeof(whole), "%s", line);
		verdict = strtok_r(line, " \n", &save);
		rule = strtok_r(NULL, " \n", &save);
		question = strtok_r(NULL, " \n", &save);
		cr_assert_not_null(question, "%s", whole);
		while ((word = strtok_r(NULL, " \n", &save)))
			take(&c, word);
		d = ask(&c, question);
		cr_assert_eq(sscanf(rule, "GRANT_%d", &number), 1, "%s", whole);
		if (strcmp(verdict, "deny") == 0) {
			cr_assert_eq(d.verdict, VERDICT_DENY, "%s", whole);
			cr_assert_str_eq(d.rule, rule, "%s", whole);
			cr_assert_not_null(d.reason);
			denied[number] = true;
		} else {
			cr_assert_eq(d.verdict, VERDICT_ALLOW, "%s is %s", whole, d.rule);
			allowed[number] = true;
		}
	}
	(void)fclose(f);
	(void)policy_grant_rows(&n);
	for (size_t i = 1; i <= n; i++)
		cr_assert(denied[i] && allowed[i], "GRANT_%02zu has no case on one side", i);
}

Test(grant, long_texts_are_bounded)
{
	static char scope[4200], glob[4200];
	struct view s = {scope, sizeof(scope)}, g = {glob, sizeof(glob)};

	memset(scope, 'a', sizeof(scope));
	memset(glob, '*', sizeof(glob));
	scope[sizeof(scope) - 1] = '/';
	cr_assert_eq(policy_grant_scopes(&s, 1, &g, 1).verdict, VERDICT_DENY,
		     "too long to look at");
	s = (struct view){scope + sizeof(scope) - 4095, 4095};
	g.len = 4095;
	cr_assert_eq(policy_grant_scopes(&s, 1, &g, 1).verdict, VERDICT_ALLOW);
	glob[4094] = 'b';
	cr_assert_eq(policy_grant_scopes(&s, 1, &g, 1).verdict, VERDICT_ALLOW);
	glob[0] = 'b';
	cr_assert_eq(policy_grant_scopes(&s, 1, &g, 1).verdict, VERDICT_DENY);
}
