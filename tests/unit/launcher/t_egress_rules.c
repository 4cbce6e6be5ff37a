/* SPDX-License-Identifier: MIT */
/* The rules file: what it decides, and that every doubt names its line and column. */
#include "base/base.h"

#include "launcher/egress.h"

#include "base/limits.h"

#include <criterion/criterion.h>

static struct egress_rules *parse(const char *text)
{
	struct egress_rules *r = NULL;
	struct errctx e = {0};

	cr_assert_eq(egress_rules_parse(view_of(text), &r, &e), 0, "%s", e.text);
	return r;
}

static struct egress_decision ask(const struct egress_rules *r, const char *host, unsigned port)
{
	struct egress_host h;

	cr_assert_eq(egress_host_parse(view_of(host), &h), 0, "%s", host);
	return egress_decide(r, &h, port);
}

static const char everyday[] = "# what the build needs\n"
			       "\n"
			       "allow github.com 443,22 no-sni   # git over ssh as well\n"
			       "deny\tgist.github.com\n"
			       "allow *.github.com\n"
			       "allow packages.example.org\n"
			       "allow mirror.example 8000-8080,443\n"
			       "allow 93.184.216.34 443\n"
			       "allow [2606:2800:220:1::1]\n"
			       "deny * 25\n"
			       "allow *.example.org *\n";

static const struct {
	const char *host;
	unsigned port;
	enum verdict verdict;
	unsigned rule, line;
} decisions[] = {
	{"github.com", 443, VERDICT_ALLOW, 1, 3},
	{"github.com", 22, VERDICT_ALLOW, 1, 3},
	{"GitHub.COM.", 443, VERDICT_ALLOW, 1, 3},
	{"github.com", 80, VERDICT_DENY, 0, 0},
	{"github.com", 25, VERDICT_DENY, 8, 10},
	{"gist.github.com", 443, VERDICT_DENY, 2, 4},
	{"gist.github.com", 80, VERDICT_DENY, 2, 4},
	{"api.github.com", 443, VERDICT_ALLOW, 3, 5},
	{"a.b.github.com", 443, VERDICT_ALLOW, 3, 5},
	{"x.gist.github.com", 443, VERDICT_ALLOW, 3, 5},
	{"api.github.com", 80, VERDICT_DENY, 0, 0},
	{"evilgithub.com", 443, VERDICT_DENY, 0, 0},
	{"github.com.evil.example", 443, VERDICT_DENY, 0, 0},
	{"packages.example.org", 443, VERDICT_ALLOW, 4, 6},
	{"mirror.example", 7999, VERDICT_DENY, 0, 0},
	{"mirror.example", 8000, VERDICT_ALLOW, 5, 7},
	{"mirror.example", 8080, VERDICT_ALLOW, 5, 7},
	{"mirror.example", 8081, VERDICT_DENY, 0, 0},
	{"mirror.example", 443, VERDICT_ALLOW, 5, 7},
	{"93.184.216.34", 443, VERDICT_ALLOW, 6, 8},
	{"93.184.216.34", 25, VERDICT_DENY, 0, 0},
	{"93.184.216.35", 443, VERDICT_DENY, 0, 0},
	{"2606:2800:220:1:0:0:0:1", 443, VERDICT_ALLOW, 7, 9},
	{"x.example.org", 25, VERDICT_DENY, 8, 10},
	{"x.example.org", 1, VERDICT_ALLOW, 9, 11},
	{"x.example.org", 65535, VERDICT_ALLOW, 9, 11},
	{"example.org", 443, VERDICT_DENY, 0, 0},
};

Test(egress_rules, decisions)
{
	auto_egress_rules struct egress_rules *r = parse(everyday);

	cr_assert_eq(egress_rules_count(r), 9);
	for (size_t i = 0; i < ARRAY_LEN(decisions); i++) {
		struct egress_decision d = ask(r, decisions[i].host, decisions[i].port);

		cr_assert_eq(d.verdict, decisions[i].verdict, "%s:%u", decisions[i].host,
			     decisions[i].port);
		cr_assert_eq(d.rule, decisions[i].rule, "%s:%u: rule %u", decisions[i].host,
			     decisions[i].port, d.rule);
		cr_assert_eq(d.line, decisions[i].line);
	}
}

Test(egress_rules, a_decision_carries_the_rule_as_written)
{
	auto_egress_rules struct egress_rules *r = parse(everyday);
	struct egress_decision d = ask(r, "github.com", 22);

	cr_assert(view_is(d.text, "allow github.com 443,22 no-sni"));
	cr_assert(d.any_tls);
	d = ask(r, "api.github.com", 443);
	cr_assert(view_is(d.text, "allow *.github.com"));
	cr_assert_not(d.any_tls);
	d = ask(r, "nowhere.example", 443);
	cr_assert_eq(d.text.len, 0);
}

Test(egress_rules, port_0_and_beyond_match_nothing)
{
	auto_egress_rules struct egress_rules *r = parse("allow * *\n");
	struct egress_host h;

	cr_assert_eq(egress_host_parse(VIEW("a.example"), &h), 0);
	cr_assert_eq(egress_decide(r, &h, 0).verdict, VERDICT_DENY);
	cr_assert_eq(egress_decide(r, &h, 65536).verdict, VERDICT_DENY);
	cr_assert_eq(egress_decide(r, &h, 1).verdict, VERDICT_ALLOW);
}

Test(egress_rules, wildcards_are_for_names)
{
	auto_egress_rules struct egress_rules *r = parse("allow * *\nallow *.com\n");

	cr_assert_eq(ask(r, "93.184.216.34", 443).verdict, VERDICT_DENY);
	cr_assert_eq(ask(r, "2606:2800:220:1::1", 443).verdict, VERDICT_DENY);
	cr_assert_eq(ask(r, "a.com", 443).verdict, VERDICT_ALLOW);
}

Test(egress_rules, an_empty_file_denies_everything)
{
	static const char *const empty[] = {"", "\n", "# nothing\n", "   \t \n#\n\n"};

	for (size_t i = 0; i < ARRAY_LEN(empty); i++) {
		auto_egress_rules struct egress_rules *r = parse(empty[i]);

		cr_assert_eq(egress_rules_count(r), 0);
		cr_assert_eq(ask(r, "example.com", 443).verdict, VERDICT_DENY);
	}
}

static const struct {
	const char *text;
	int code;
	const char *where;
} bad[] = {
	{"permit a.example\n", E_UNKNOWN, "line 1, column 1:"},
	{"Allow a.example\n", E_UNKNOWN, "line 1, column 1:"},
	{"\n\n  allow\n", E_MISSING, "line 3, column 8:"},
	{"allow # a.example\n", E_MISSING, "line 1, column 7:"},
	{"allow a..example\n", E_SYNTAX, "line 1, column 7:"},
	{"allow http://a.example\n", E_SYNTAX, "line 1, column 7:"},
	{"allow a.example:443\n", E_SYNTAX, "line 1, column 7:"},
	{"allow a.example/path\n", E_SYNTAX, "line 1, column 7:"},
	{"allow *a.example\n", E_SYNTAX, "line 1, column 7:"},
	{"allow a.*.example\n", E_SYNTAX, "line 1, column 7:"},
	{"allow *.*.example\n", E_SYNTAX, "line 1, column 7:"},
	{"allow **\n", E_SYNTAX, "line 1, column 7:"},
	{"allow *.\n", E_SYNTAX, "line 1, column 7:"},
	{"allow *.1.2.3.4\n", E_SYNTAX, "line 1, column 7:"},
	{"allow 127.1\n", E_SYNTAX, "line 1, column 7:"},
	{"allow 2130706433\n", E_SYNTAX, "line 1, column 7:"},
	{"allow 10.0.0.0/8\n", E_SYNTAX, "line 1, column 7:"},
	{"allow [a.example]\n", E_SYNTAX, "line 1, column 7:"},
	{"allow []\n", E_SYNTAX, "line 1, column 7:"},
	{"allow 127.0.0.1\n", E_DENIED, "line 1, column 7:"},
	{"allow 10.1.2.3 80\n", E_DENIED, "line 1, column 7:"},
	{"allow 169.254.169.254 80\n", E_DENIED, "line 1, column 7:"},
	{"allow ::1\n", E_DENIED, "line 1, column 7:"},
	{"allow [fd00::1]\n", E_DENIED, "line 1, column 7:"},
	{"allow ::ffff:8.8.8.8\n", E_DENIED, "line 1, column 7:"},
	{"allow a.example 0\n", E_SYNTAX, "line 1, column 17:"},
	{"allow a.example 65536\n", E_RANGE, "line 1, column 17:"},
	{"allow a.example 443,\n", E_SYNTAX, "line 1, column 17:"},
	{"allow a.example ,443\n", E_SYNTAX, "line 1, column 17:"},
	{"allow a.example 80,,443\n", E_SYNTAX, "line 1, column 17:"},
	{"allow a.example 90-80\n", E_RANGE, "line 1, column 17:"},
	{"allow a.example 80-\n", E_SYNTAX, "line 1, column 17:"},
	{"allow a.example -80\n", E_SYNTAX, "line 1, column 17:"},
	{"allow a.example 80-90-100\n", E_SYNTAX, "line 1, column 17:"},
	{"allow a.example https\n", E_SYNTAX, "line 1, column 17:"},
	{"allow a.example 80,80\n", E_DUPLICATE, "line 1, column 17:"},
	{"allow a.example 80-90,85\n", E_DUPLICATE, "line 1, column 17:"},
	{"allow a.example *,80\n", E_SYNTAX, "line 1, column 17:"},
	{"allow a.example 443 80\n", E_UNKNOWN, "line 1, column 21:"},
	{"allow a.example 443 no-tls\n", E_UNKNOWN, "line 1, column 21:"},
	{"allow a.example 443 no-sni no-sni\n", E_DUPLICATE, "line 1, column 28:"},
	{"allow a.example no-sni\n", E_SYNTAX, "line 1, column 17:"},
	{"deny a.example 443 no-sni\n", E_SYNTAX, "line 1, column 20:"},
	{"allow a.example\r\n", E_SYNTAX, "line 1, column 16:"},
	{"allow a.example\v443\n", E_SYNTAX, "line 1, column 16:"},
	{"allow b\303\274cher.example\n", E_SYNTAX, "line 1, column 7:"},
	{"# \xff\n", E_UTF8, "line 1, column 3:"},
	{"allow a.example\ndeny A.example. 443\n", E_DUPLICATE, "line 2, column 1:"},
	{"deny *.a.example\n\nallow *.a.example 443\n", E_DUPLICATE, "line 3, column 1:"},
	{"allow * 80-90\nallow * 90\n", E_DUPLICATE, "line 2, column 1:"},
	{"allow 8.8.8.8\ndeny 8.8.8.8\n", E_DUPLICATE, "line 2, column 1:"},
	{"allow 2606:2800::1\ndeny [2606:2800:0:0::1] 443\n", E_DUPLICATE, "line 2, column 1:"},
};

Test(egress_rules, every_refusal_names_line_and_column)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct egress_rules *r = NULL;
		struct errctx e = {0};
		int rc = egress_rules_parse(view_of(bad[i].text), &r, &e);

		cr_assert_eq(rc, bad[i].code, "%s -> %d %s", bad[i].text, rc, e.text);
		cr_assert_null(r);
		cr_assert_eq(strncmp(e.text, bad[i].where, strlen(bad[i].where)), 0, "%s -> %s",
			     bad[i].text, e.text);
	}
}

Test(egress_rules, a_nul_is_refused_with_its_place)
{
	struct egress_rules *r = NULL;
	struct errctx e = {0};

	cr_assert_eq(egress_rules_parse(VIEW("allow a.example\nallow b\0.example\n"), &r, &e),
		     E_NUL);
	cr_assert_str_eq(e.text, "line 2, column 8: NUL character");
}

Test(egress_rules, the_same_host_on_other_ports_is_another_rule)
{
	auto_egress_rules struct egress_rules *r =
		parse("allow a.example 443\ndeny a.example 80\nallow a.example 8080-8090");

	cr_assert_eq(ask(r, "a.example", 443).verdict, VERDICT_ALLOW);
	cr_assert_eq(ask(r, "a.example", 80).rule, 2);
	cr_assert_eq(ask(r, "a.example", 8085).rule, 3);
}

Test(egress_rules, numbers_are_bounded)
{
	static char text[MAX_OPERATOR_FILE_BYTES + 2];
	struct egress_rules *r = NULL;
	struct errctx e = {0};
	size_t n = 0;

	for (int i = 0; i < MAX_EGRESS_RULES; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "allow h%d.example\n", i);
	cr_assert_eq(egress_rules_parse((struct view){text, n}, &r, &e), 0, "%s", e.text);
	egress_rules_free(r);
	r = NULL;
	n += (size_t)snprintf(text + n, sizeof(text) - n, "allow more.example\n");
	cr_assert_eq(egress_rules_parse((struct view){text, n}, &r, &e), E_TOOBIG);
	cr_assert_str_eq(e.text, "line 1025, column 1: more than 1024 rules");
	memset(text, '#', sizeof(text));
	cr_assert_eq(egress_rules_parse((struct view){text, MAX_OPERATOR_FILE_BYTES + 1}, &r, &e),
		     E_TOOBIG);
	cr_assert_eq(
		egress_rules_parse(
			VIEW("allow a.example 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31"), &r, &e),
		0);
	egress_rules_free(r);
	r = NULL;
	cr_assert_eq(egress_rules_parse(
			     VIEW("allow a.example 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33"),
			     &r, &e),
		     E_TOOBIG);
	egress_rules_free(NULL);
}
