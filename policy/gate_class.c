/* SPDX-License-Identifier: MIT */
/* Classes of the gate, their verdicts and words; the own rules of the engine; shared matching.
 * Test: t_tables, the case files. */
#include "base/base.h"

#include "policy/gate.h"

static const struct gate_class_row classes[N_GATE_CLASSES] = {
	[GATE_NONE] = {"none", VERDICT_ALLOW, "does nothing of note", ""},
	[GATE_PRIVILEGE] = {"privilege", VERDICT_ASK, "gets more rights than the session has",
			    "run it without elevated rights, or ask the user to run it"},
	[GATE_PIPE_TO_SHELL] = {"pipe-to-shell", VERDICT_ASK,
				"runs text that can't be seen before it runs",
				"save it to a file, show the file, then run the file"},
	[GATE_PERSISTENCE] = {"persistence", VERDICT_ASK,
			      "makes something run later, outside this session",
			      "run it once, now"},
	[GATE_PKG_INSTALL] = {"pkg-install", VERDICT_ASK, "installs or removes software",
			      "install from the lock file, or ask the user to add the package"},
	[GATE_PUBLISH] = {"publish", VERDICT_ASK, "publishes to others",
			  "use a dry run, or leave publishing to the user"},
	[GATE_PERMISSIONS] =
		{"permissions", VERDICT_ASK, "changes permissions widely",
		 "change single files of the project, without write access for others"},
	[GATE_GIT_HISTORY] = {"git-history", VERDICT_ASK, "can lose commits",
			      "add a new commit (git revert) or push without force"},
	[GATE_GIT_DISCARD] = {"git-discard", VERDICT_ASK, "can lose changes that aren't committed",
			      "commit or stash them first"},
	[GATE_REF_DELETE] = {"ref-delete", VERDICT_ASK, "deletes branches, tags or remotes",
			     "keep them; list what could go and let the user delete"},
	[GATE_PROTECTED_PUSH] = {"protected-push", VERDICT_ASK, "pushes to a protected branch",
				 "push to a branch of its own and open a pull request"},
	[GATE_GH_DELETE] = {"gh-delete", VERDICT_ASK, "deletes something on the forge",
			    "leave it and say what should go"},
	[GATE_PR_MERGE] = {"pr-merge", VERDICT_ASK, "merges a pull request",
			   "leave the merge to the user"},
	[GATE_FS_DELETE] = {"fs-delete", VERDICT_ASK, "deletes files",
			    "move them aside inside the project, or name them to the user"},
	[GATE_FS_TRUNCATE] = {"fs-truncate", VERDICT_ASK, "empties or overwrites a file",
			      "write the new content instead, or edit the file"},
	[GATE_INFRA_DELETE] = {"infra-delete", VERDICT_ASK, "destroys running or stored resources",
			       "use a dry run or a plan and show it"},
	[GATE_DB_DELETE] =
		{"db-delete", VERDICT_ASK, "deletes data in a database",
		 "run it inside a transaction that is rolled back, or show the statement"},
	[GATE_INTERP_DELETE] = {"interp-delete", VERDICT_ASK,
				"deletes files from inside a program text",
				"use a plain command whose targets can be seen"},
	[GATE_ENV_EXEC] = {"env-exec", VERDICT_ASK, "changes which code other programs run",
			   "call the program by its path, without changing the environment"},
	[GATE_TAMPER] =
		{"gate-tamper", VERDICT_DENY, "changes the guard rails of this session",
		 "propose the change to the user; these files are not the session's to write"},
	[GATE_HIDDEN_CHAR] = {"hidden-char", VERDICT_DENY,
			      "holds characters that hide what it does",
			      "write it without invisible or direction-changing characters"},
	[GATE_OPAQUE] = {"opaque", VERDICT_ASK, "can't be read with certainty",
			 "spell the command out, without computed names"},
	[GATE_SANDBOX_OFF] = {"sandbox-off", VERDICT_ASK, "asks to run outside the sandbox",
			      "run it inside the sandbox"},
	[GATE_CONTENT] = {"content", VERDICT_DENY, "writes text that must not be stored",
			  "leave the secret or the instruction out, or name where it is kept"},
	[GATE_SHRINK] = {"shrink", VERDICT_ASK, "removes most of a file",
			 "edit the part that changes"},
	[GATE_TOOL] = {"tool", VERDICT_ASK, "calls a tool that can delete or change much",
		       "use a tool that only reads"},
	[GATE_EVENT] = {"event", VERDICT_DENY, "isn't an event that can be read safely",
			"send the call again in plain form"},
	[GATE_OPERATOR] = {"operator", VERDICT_ASK, "is named by the operator's own rules",
			   "do it another way, or ask the operator"},
};

const struct gate_class_row *gate_class(enum gate_class c)
{
	return &classes[c < N_GATE_CLASSES ? c : GATE_OPAQUE];
}

enum gate_class gate_class_by_name(struct view name)
{
	for (int i = 1; i < N_GATE_CLASSES; i++)
		if (view_is(name, classes[i].name))
			return (enum gate_class)i;
	return GATE_NONE;
}

/* Findings that no program row can express. */
static const struct gate_own_rule own[] = {
	{"GATE_0001", GATE_OPAQUE, 0, "computes the name of the program that runs"},
	{"GATE_0002", GATE_OPAQUE, 0, "can't be parsed as shell"},
	{"GATE_0003", GATE_HIDDEN_CHAR, 0, "holds invisible or direction-changing characters"},
	{"GATE_0004", GATE_OPAQUE, 0,
	 "uses look-alike letters or blanks in a program name or option"},
	{"GATE_0005", GATE_OPAQUE, 0,
	 "passes an option that the gate doesn't know to a program that runs others"},
	{"GATE_0006", GATE_OPAQUE, 0, "nests commands in commands too deeply"},
	{"GATE_0007", GATE_OPAQUE, 0, "is too long or too complex to be read in time"},
	{"GATE_0008", GATE_PIPE_TO_SHELL, 0, "runs text that came from the network or was decoded"},
	{"GATE_0009", GATE_PIPE_TO_SHELL, 0, "runs text that only exists at run time"},
	{"GATE_0010", GATE_OPAQUE, 0,
	 "runs a program that this same command copied, linked or made"},
	{"GATE_0011", GATE_OPAQUE, 0, "computes the sub-command"},
	{"GATE_0012", GATE_OPAQUE, 0, "computes a call inside a program text"},
	{"GATE_0013", GATE_INTERP_DELETE, 0, NULL},
	{"GATE_0014", GATE_PR_MERGE, 0, NULL},
	{"GATE_0015", GATE_GH_DELETE, 0, NULL},
	{"GATE_0016", GATE_FS_DELETE, VERDICT_DENY,
	 "deletes a folder that everything else stands on"},
	{"GATE_0017", GATE_FS_TRUNCATE, 0, "empties a file by redirection"},
	{"GATE_0018", GATE_FS_TRUNCATE, 0, "overwrites a file in spite of noclobber"},
	{"GATE_0019", GATE_DB_DELETE, 0, NULL},
	{"GATE_0020", GATE_PKG_INSTALL, 0, "puts a downloaded program on the search path"},
	{"GATE_0021", GATE_SANDBOX_OFF, 0, NULL},
	{"GATE_0022", GATE_SANDBOX_OFF, VERDICT_DENY, NULL},
	{"GATE_0023", GATE_CONTENT, 0, NULL},
	{"GATE_0024", GATE_SHRINK, 0, NULL},
	{"GATE_0025", GATE_TOOL, 0, NULL},
	{"GATE_0026", GATE_TOOL, VERDICT_DENY,
	 "starts an agent that skips the permission questions"},
	{"GATE_0027", GATE_EVENT, 0, NULL},
	{"GATE_0028", GATE_TAMPER, VERDICT_ASK, "changes where git looks for its hooks"},
	{"GATE_0029", GATE_FS_TRUNCATE, 0, "writes to a device"},
	{"GATE_0030", GATE_PRIVILEGE, 0, "loads code into the shell or changes what a name runs"},
	{"GATE_0031", GATE_PR_MERGE, 0, "sends a GraphQL text that can't be seen"},
	{"GATE_0032", GATE_PIPE_TO_SHELL, 0, "connects input or output to the network"},
	{"GATE_0033", GATE_INFRA_DELETE, 0, "sends a DELETE request to another machine"},
	{"GATE_0034", GATE_OPAQUE, 0, "sends SQL that can't be seen"},
	{"GATE_0035", GATE_OPERATOR, 0, NULL},
	{"GATE_0036", GATE_OPERATOR, VERDICT_DENY, NULL},
};

const struct gate_own_rule *gate_own_rules(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(own);
	return own;
}

const struct gate_own_rule *gate_own_rule(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (strcmp(own[i].id, id) == 0)
			return &own[i];
	return NULL;
}
