/* SPDX-License-Identifier: MIT */
/* The gate's tables for "agentteams policy dump". Pure. Test: tests/e2e/t0002-policy.tap. */
#include "base/base.h"

#include "policy/dump.h"
#include "policy/gate.h"

static const char *const languages[] = {
	[LANG_NONE] = "",	  [LANG_SHELL] = "shell",
	[LANG_PYTHON] = "python", [LANG_PERL] = "perl",
	[LANG_RUBY] = "ruby",	  [LANG_NODE] = "javascript",
	[LANG_PHP] = "php",	  [LANG_LUA] = "lua",
	[LANG_R] = "r",		  [LANG_AWK] = "awk",
	[LANG_SED] = "sed",	  [LANG_SQL] = "sql",
	[LANG_APPLE] = "apple",	  [LANG_ELISP] = "elisp",
	[LANG_TCL] = "tcl",	  [LANG_VIM] = "vim",
	[LANG_ED] = "ed",	  [LANG_GDB] = "gdb",
	[LANG_MAKE] = "make",	  [LANG_POWERSHELL] = "powershell",
};
static const char *const forms[] = {
	[FORM_SHELL] = "shell text",	    [FORM_EXEC] = "shell text after exec=",
	[FORM_BANG] = "shell text after !", [FORM_LANG] = "program text",
	[FORM_PROGRAM] = "program",	    [FORM_SSH] = "setting of ssh",
};
static const char *const kinds[] = {
	[ENV_SEARCH] = "search path", [ENV_LOAD] = "code",	[ENV_COMMAND] = "command",
	[ENV_OPTIONS] = "options",    [ENV_TEMP] = "code path", [ENV_PROMPT] = "substitutions",
};
/* In the order of the bits of enum gate_program_flags. */
static const char *const flags[] = {
	"reads",    "filter",  "net",	      "decodes",       "shell",
	"language", "-h=help", "abbreviates", "single-hyphen", "multi",
	"sql",	    "builtin", "copies",      "no-clusters",   "wraps",
};

static const char *name_in(const char *const *names, size_t n, unsigned i)
{
	return i < n && names[i] ? names[i] : "?";
}

static void dump_flags(struct dump *d, unsigned bits)
{
	char t[160];
	size_t len = 0;

	t[0] = 0;
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		size_t n = strlen(flags[i]);

		if (!(bits & 1u << i) || len + n + 2 > sizeof(t))
			continue;
		if (len)
			t[len++] = ' ';
		memcpy(t + len, flags[i], n + 1);
		len += n;
	}
	dump_str(d, "flags", t);
}

static const char *or_none(const char *s)
{
	return s ? s : "";
}

static void dump_rule(struct dump *d, const struct gate_rule *r)
{
	dump_row(d, r->id);
	dump_str(d, "program", r->family);
	dump_str(d, "sub", r->sub);
	dump_str(d, "when", r->when);
	dump_str(d, "unless", r->unless);
	dump_str(d, "class", gate_class(r->cls)->name);
	dump_str(d, "verdict", verdict_name(r->verdict ? r->verdict : gate_class(r->cls)->verdict));
	dump_str(d, "does", r->does ? r->does : gate_class(r->cls)->does);
}

static void dump_classes(struct dump *d)
{
	size_t n;
	const struct gate_own_rule *own = gate_own_rules(&n);

	dump_table(d, "gate_class", "what a shell command may be asked about or refused for");
	for (int c = GATE_NONE + 1; c < N_GATE_CLASSES; c++) {
		const struct gate_class_row *row = gate_class((enum gate_class)c);

		dump_row(d, row->name);
		dump_str(d, "verdict", verdict_name(row->verdict));
		dump_str(d, "does", row->does);
		dump_str(d, "instead", row->instead);
	}
	dump_table_end(d);
	dump_table(d, "gate", "findings that no single program row makes");
	for (size_t i = 0; i < n; i++) {
		dump_row(d, own[i].id);
		dump_str(d, "class", gate_class(own[i].cls)->name);
		dump_str(d, "verdict",
			 verdict_name(own[i].verdict ? own[i].verdict
						     : gate_class(own[i].cls)->verdict));
		dump_str(d, "does", own[i].does ? own[i].does : gate_class(own[i].cls)->does);
	}
	dump_table_end(d);
}

static void dump_rules(struct dump *d)
{
	for (size_t t = 0; t < gate_rule_tables(); t++) {
		static const char *const names[] = {"gate_rule_git", "gate_rule_files",
						    "gate_rule_package", "gate_rule_infra"};
		size_t n;
		const struct gate_rule *rows = gate_rule_table(t, &n);

		dump_table(d, names[t],
			   "a program, its sub-command, and the conditions that make it a finding");
		for (size_t i = 0; i < n; i++)
			dump_rule(d, &rows[i]);
		dump_table_end(d);
	}
}

static void dump_wrappers(struct dump *d)
{
	size_t n;
	const struct gate_wrapper *rows = gate_wrappers(&n);

	dump_table(d, "gate_wrapper", "programs that run the rest of their words");
	for (size_t i = 0; i < n; i++) {
		dump_row(d, rows[i].id);
		dump_str(d, "programs", rows[i].name);
		dump_str(d, "sub", rows[i].sub);
		dump_str(d, "flags", rows[i].flags);
		dump_str(d, "valued", rows[i].valued);
		dump_str(d, "long", rows[i].longs);
		dump_str(d, "long_valued", rows[i].vlongs);
		dump_str(d, "text", rows[i].text);
		dump_int(d, "skip", rows[i].skip);
		dump_str(d, "class", gate_class(rows[i].cls)->name);
		dump_str(d, "where", or_none(rows[i].where));
	}
	dump_table_end(d);
}

static void dump_scripts(struct dump *d)
{
	size_t n;
	const struct gate_script *rows = gate_scripts(&n);

	dump_table(d, "gate_script", "options and operands whose value is a program text");
	for (size_t i = 0; i < n; i++) {
		dump_row(d, rows[i].id);
		dump_str(d, "program", rows[i].family);
		dump_str(d, "sub", rows[i].sub);
		dump_str(d, "option", rows[i].option);
		dump_str(d, "form", name_in(forms, ARRAY_LEN(forms), rows[i].form));
		dump_str(d, "language", name_in(languages, ARRAY_LEN(languages), rows[i].lang));
	}
	dump_table_end(d);
}

static void dump_environment(struct dump *d)
{
	size_t n;
	const struct gate_env *rows = gate_envs(&n);

	dump_table(d, "gate_env", "variables that change which code other programs run");
	for (size_t i = 0; i < n; i++) {
		dump_row(d, rows[i].id);
		dump_str(d, "name", rows[i].name);
		dump_str(d, "kind", name_in(kinds, ARRAY_LEN(kinds), rows[i].kind));
		dump_str(d, "words", or_none(rows[i].words));
	}
	dump_table_end(d);
}

static void dump_paths(struct dump *d)
{
	size_t n;
	const struct gate_path *rows = gate_paths(&n);

	dump_table(d, "gate_path", "files that guard the session or run by themselves");
	for (size_t i = 0; i < n; i++) {
		dump_row(d, rows[i].id);
		dump_str(d, "pattern", rows[i].pattern);
		dump_bool(d, "tree", rows[i].tree);
		dump_str(d, "class", gate_class(rows[i].cls)->name);
		dump_str(d, "verdict",
			 verdict_name(rows[i].verdict ? rows[i].verdict
						      : gate_class(rows[i].cls)->verdict));
		dump_str(d, "what", rows[i].what);
	}
	dump_table_end(d);
}

static void dump_programs(struct dump *d)
{
	size_t n;
	const struct gate_program *p;
	const struct gate_grammar *grammars = gate_grammars(&n);

	dump_table(d, "gate_grammar", "options that take the next word as their value");
	for (size_t i = 0; i < n; i++) {
		dump_row(d, grammars[i].family);
		dump_str(d, "sub", grammars[i].sub);
		dump_str(d, "short", grammars[i].shorts);
		dump_str(d, "long", grammars[i].longs);
	}
	dump_table_end(d);
	dump_table(d, "gate_program", "programs that the gate knows");
	for (size_t i = 0; (p = gate_program_at(i)); i++) {
		dump_row(d, p->name);
		dump_str(d, "family", p->family);
		dump_flags(d, p->flags);
		dump_str(d, "language", name_in(languages, ARRAY_LEN(languages), p->lang));
	}
	dump_table_end(d);
}

void gate_dump(struct dump *d)
{
	dump_classes(d);
	dump_rules(d);
	dump_wrappers(d);
	dump_scripts(d);
	dump_environment(d);
	dump_paths(d);
	dump_programs(d);
}
