/* SPDX-License-Identifier: MIT */
/* Details of the lexer, parser and evaluator, each with the words that reach a command (file 40,
 * sections 12.3 to 12.5). "<any>" stands for an unknown part, "<glob>" for a pattern's. */
#include "base/base.h"

#include "gate/decide.h"

#include "base/err.h"

#include <criterion/criterion.h>

static char seen[65536];

static void on_site(void *arg, const struct fields *argv, struct span span)
{
	size_t n = strlen(seen);

	(void)arg;
	(void)span;
	for (uint32_t i = 0; i < argv->n; i++) {
		seen[n++] = '[';
		for (size_t k = 0; k < argv->v[i].v.len; k++) {
			char c = argv->v[i].v.ptr[k];
			const char *s = c == ANY ? "<any>" : c == GLOB ? "<glob>" : NULL;

			if (s)
				n += (size_t)snprintf(seen + n, sizeof(seen) - n, "%s", s);
			else
				seen[n++] = c;
		}
		seen[n++] = ']';
	}
	seen[n++] = ';';
	seen[n] = 0;
}

static const char *sites(const char *command, const char **ret_error)
{
	struct gate_context ctx = {.home = VIEW("/h"), .cwd = VIEW("/w"), .project = VIEW("/w")};
	struct answer a;
	struct arena m;

	seen[0] = 0;
	arena_init(&m, (size_t)32 << 20);
	decide_command(&m, &ctx, view_of(command), on_site, NULL, &a);
	*ret_error = a.script && a.script->error ? a.script->error_why : NULL;
	arena_release(&m);
	return seen;
}

static void expect(const char *command, const char *wanted)
{
	const char *error;
	const char *got = sites(command, &error);

	cr_expect_null(error, "%s: %s", command, error ? error : "");
	cr_expect_str_eq(got, wanted, "%s:\n  got    %s\n  wanted %s", command, got, wanted);
}

static void expect_error(const char *command)
{
	const char *error;

	(void)sites(command, &error);
	cr_expect_not_null(error, "%s was parsed", command);
}

Test(parse, a_continued_line_vanishes_but_not_in_single_quotes)
{
	expect("a\\\nb c", "[ab][c];");
	expect("a 'x\\\ny'", "[a][x\\\ny];");
	expect("a \"x\\\ny\"", "[a][xy];");
}

Test(parse, a_comment_does_not_continue)
{
	expect("a #\\\nb", "[a];[b];");
	expect("a b#c #d", "[a][b#c];");
}

Test(parse, in_double_quotes_a_backslash_escapes_five_bytes_only)
{
	expect("a \"\\$\\`\\\"\\\\\\n\"", "[a][$`\"\\\\n];");
}

Test(parse, ansi_c_quotes)
{
	expect("a $'\\a\\b\\e\\f\\n\\r\\t\\v\\\\\\'\\\"\\?'", "[a][\a\b\033\f\n\r\t\v\\'\"?];");
	expect("a $'\\101\\x41\\u0041\\U00000041'", "[a][AAAA];");
	expect("a $'x\\0y'z", "[a][xz];");
	expect("a $'\\u00e9'", "[a][\xc3\xa9];");
}

Test(parse, backquotes_lose_one_level_of_backslashes)
{
	expect("a `b \\`c\\``", "[c];[b][<any>];[a][<any>];");
}

Test(parse, here_documents)
{
	expect("a <<E\n$(b)\nE\nc", "[b];[a];[c];");
	expect("a <<'E'\n$(b)\nE\nc", "[a];[c];");
	expect("a <<-E\n\t$(b)\n\tE\nc", "[b];[a];[c];");
	expect("a <<E <<F\n$(b)\nE\n$(c)\nF\nd", "[b];[c];[a];[d];");
	expect("a <<E\nx\\\nE\nE\nb", "[a];[b];");
	expect_error("a <<E\nno end");
}

Test(parse, reserved_words_only_where_a_command_may_stand)
{
	expect("echo if then done", "[echo][if][then][done];");
	expect("'if' a", "[if][a];");
	expect("if a; then b; elif c; then d; else e; fi", "[a];[b];[c];[d];[e];");
	expect("while a; do b; done; until c; do d; done", "[a];[b];[c];[d];");
	expect("for x in 1 2; do a $x; done", "[a][1];[a][2];");
	expect("case x in a|b) c;; (d) e;& *) f; esac", "[c];[e];[f];");
	expect("{ a; }; (b); ! c; time -p d", "[a];[b];[c];[d];");
	expect("coproc a b; coproc N { c; }", "[a][b];[c];");
	expect("f() { a; }; function g { b; }; f; g", "[f];[a];[g];[b];");
}

Test(parse, arithmetic_or_subshell)
{
	expect("((1 + 2)); a", "[a];");
	expect("((a); (b))", "[a];[b];");
	expect("a $((1 + (2 * 3)))", "[a][<any>];");
	expect("a $((b); (c))", "[b];[c];[a][<any>];");
	expect("for ((i = 0; i < 3; i++)); do a; done", "[a];");
}

Test(parse, conditions)
{
	expect("[[ a =~ ^(x|y)+$ && ! ( -f b ) ]] && c", "[c];");
	expect("[[ $(a) ]]", "[a];");
}

Test(parse, redirections_are_no_words)
{
	expect("a >b 2>&1 <c x", "[a][x];");
	expect("{fd}>x a", "[a];");
	expect("2>x a 3", "[a][3];");
	expect("a 2 >x", "[a][2];");
}

Test(parse, carriage_returns_and_odd_blanks_are_ordinary)
{
	expect("a\r\nb", "[a\r];[b];");
	expect("a \xc2\xa0 b", "[a][\xc2\xa0][b];");
}

Test(parse, errors)
{
	expect_error("'a");
	expect_error("\"a");
	expect_error("a $(b");
	expect_error("a ${b");
	expect_error("if a; then b");
	expect_error("a )");
	expect_error("a ;; b");
	expect_error("| a");
	expect_error("for 1 in a; do b; done");
}

Test(parse, nesting_is_bounded)
{
	char deep[512];
	size_t n = 0;

	for (int i = 0; i < 60; i++)
		deep[n++] = '(';
	deep[n++] = 'a';
	for (int i = 0; i < 60; i++)
		deep[n++] = ')';
	deep[n] = 0;
	deep[1] = ' ';
	expect_error(deep);
}

Test(eval, variables_in_order)
{
	expect("a=x; b $a; a=y; b $a", "[b][x];[b][y];");
	expect("a='x y'; b $a \"$a\"", "[b][x][y][x y];");
	expect("a=x; (a=y); b $a", "[b][x];");
	expect("a=x; a=y | b; c $a", "[b];[c][x];");
	expect("a=x; true && a=y; b $a", "[true];[b][x];[b][y];");
	expect("if t; then a=x; else a=y; fi; b $a", "[t];[b][x];[b][y];");
	expect("a=z; if t; then a=x; elif u; then a=y; fi; b $a", "[t];[u];[b][x];[b][z];[b][y];");
	expect("a=z; if t; then a=x; else :; fi; b $a", "[t];[:];[b][z];[b][x];");
	expect("a=x; if t; then a=y; fi; b $a", "[t];[b][x];[b][y];");
	expect("a+=x; a=x; a+=y; b $a", "[b][xy];");
}

Test(eval, unknown_values_stay_unknown)
{
	expect("b $x", "[b][<any>];");
	expect("read x; b \"$x\"", "[read][x];[b][<any>];");
	expect("b \"$(c)\"", "[c];[b][<any>];");
	expect("b a*", "[b][a<glob>];");
}

Test(eval, operators)
{
	expect("a=foobar; b ${a#foo} ${a%bar} ${a/o/0} ${a//o/0} ${a^} ${a^^} ${#a} ${a:1:2} "
	       "${a:-x} ${a:+y}",
	       "[b][bar][foo][f0obar][f00bar][Foobar][FOOBAR][6][oo][foobar][y];");
	expect("v=a; a=z; b ${!v}", "[b][z];");
	expect("b ${u:-x y} \"${u:-x y}\"", "[b][x][y][x y];");
}

Test(eval, parameters_and_arrays)
{
	expect("set -- a 'b c'; d \"$@\" $2 $#", "[set][--][a][b c];[d][a][b c][b][c][<any>];");
	expect("f() { g \"$1\" \"$@\"; }; f x y", "[f][x][y];[g][x][x][y];");
	expect("a=(x 'y z'); b \"${a[@]}\" ${a[1]}", "[b][x][y z][y][z];");
	expect("f() { g \"$@\"; }; f", "[f];[g];");
}

Test(eval, braces)
{
	expect("a {b,c}d {1..3} {x} {a,}", "[a][bd][cd][1][2][3][{x}][a];");
	expect("a '{b,c}' \\{b,c}", "[a][{b,c}][{b,c}];");
	expect("a {01..3} {c..a}", "[a][01][02][03][c][b][a];");
}

Test(eval, tilde)
{
	expect("a ~ ~/x '~' x~", "[a][/h][/h/x][~][x~];");
}

Test(decide, too_much_work_is_asked_about)
{
	static char text[300000];
	struct gate_context ctx = {.home = VIEW("/h"), .cwd = VIEW("/w"), .project = VIEW("/w")};
	struct answer a;
	struct arena m;

	memset(text, 'a', sizeof(text) - 1);
	for (size_t i = 1; i < sizeof(text) - 1; i += 2)
		text[i] = ' '; /* one command: what stands between commands is given back */
	arena_init(&m, 1 << 20);
	decide_command(&m, &ctx, (struct view){text, sizeof(text) - 1}, NULL, NULL, &a);
	cr_assert_eq(a.exhausted, E_NOMEM);
	cr_assert_eq(a.verdict, VERDICT_ASK);
	arena_release(&m);
	arena_init(&m, (size_t)64 << 20);
	decide_command(&m, &ctx, (struct view){text, 100000}, NULL, NULL, &a);
	cr_assert_eq(a.verdict, VERDICT_ALLOW, "with enough memory there is nothing to say");
	arena_release(&m);
	arena_init(&m, (size_t)64 << 20);
	m.max_steps = 1000;
	decide_command(&m, &ctx, (struct view){text, sizeof(text) - 1}, NULL, NULL, &a);
	cr_assert_eq(a.verdict, VERDICT_ASK);
	cr_assert_eq(a.n_findings, 1);
	arena_release(&m);
}
