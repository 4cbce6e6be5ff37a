/* SPDX-License-Identifier: MIT */
/* Variables that make other programs run something; what is harmless in their place; texts that are
 * made to be evaluated; tools that run from the project. Test: gate-dangerous.cases group I, X455
 * on.
 */
#include "base/base.h"

#include "policy/gate.h"

static const struct gate_env rows[] = {
	{"GATEENV_0001", "PATH", ENV_SEARCH, NULL},
	{"GATEENV_0002", "LD_PRELOAD", ENV_LOAD, NULL},
	{"GATEENV_0003", "LD_AUDIT", ENV_LOAD, NULL},
	{"GATEENV_0004", "LD_LIBRARY_PATH", ENV_TEMP, NULL},
	{"GATEENV_0005", "DYLD_*", ENV_LOAD, NULL},
	{"GATEENV_0006", "BASH_ENV", ENV_LOAD, NULL},
	{"GATEENV_0007", "ENV", ENV_LOAD, NULL},
	{"GATEENV_0008", "ZDOTDIR", ENV_LOAD, NULL},
	{"GATEENV_0009", "PROMPT_COMMAND", ENV_COMMAND, NULL},
	{"GATEENV_0010", "PS0", ENV_PROMPT, NULL},
	{"GATEENV_0011", "PS4", ENV_PROMPT, NULL},
	{"GATEENV_0012", "GIT_SSH", ENV_COMMAND, NULL},
	{"GATEENV_0013", "GIT_SSH_COMMAND", ENV_COMMAND, NULL},
	{"GATEENV_0014", "GIT_EXTERNAL_DIFF", ENV_COMMAND, NULL},
	{"GATEENV_0015", "GIT_EDITOR", ENV_COMMAND, NULL},
	{"GATEENV_0016", "GIT_SEQUENCE_EDITOR", ENV_COMMAND, NULL},
	{"GATEENV_0017", "GIT_PAGER", ENV_COMMAND, NULL},
	{"GATEENV_0018", "GIT_ASKPASS", ENV_COMMAND, NULL},
	{"GATEENV_0019", "SSH_ASKPASS", ENV_COMMAND, NULL},
	{"GATEENV_0020", "GIT_PROXY_COMMAND", ENV_COMMAND, NULL},
	{"GATEENV_0021", "GIT_CONFIG*", ENV_LOAD, NULL},
	{"GATEENV_0022", "GIT_EXEC_PATH", ENV_LOAD, NULL},
	{"GATEENV_0023", "GIT_TEMPLATE_DIR", ENV_LOAD, NULL},
	{"GATEENV_0024", "PAGER", ENV_COMMAND, NULL},
	{"GATEENV_0025", "MANPAGER", ENV_COMMAND, NULL},
	{"GATEENV_0026", "GH_PAGER", ENV_COMMAND, NULL},
	{"GATEENV_0027", "GH_EDITOR", ENV_COMMAND, NULL},
	{"GATEENV_0028", "EDITOR", ENV_COMMAND, NULL},
	{"GATEENV_0029", "VISUAL", ENV_COMMAND, NULL},
	{"GATEENV_0030", "BROWSER", ENV_COMMAND, NULL},
	{"GATEENV_0031", "LESSOPEN", ENV_COMMAND, NULL},
	{"GATEENV_0032", "LESSCLOSE", ENV_COMMAND, NULL},
	{"GATEENV_0033", "PYTHONSTARTUP", ENV_LOAD, NULL},
	{"GATEENV_0034", "PYTHONPATH", ENV_TEMP, NULL},
	{"GATEENV_0035", "PYTHONHOME", ENV_LOAD, NULL},
	{"GATEENV_0036", "NODE_OPTIONS", ENV_OPTIONS,
	 "-r --require --import --loader --experimental-loader --eval -e "
	 "--experimental-config-file"},
	{"GATEENV_0037", "NODE_PATH", ENV_TEMP, NULL},
	{"GATEENV_0038", "PERL5OPT", ENV_LOAD, NULL},
	{"GATEENV_0039", "PERL5LIB", ENV_TEMP, NULL},
	{"GATEENV_0040", "RUBYOPT", ENV_OPTIONS, "-r* -I* -e*"},
	{"GATEENV_0041", "RUBYLIB", ENV_TEMP, NULL},
	{"GATEENV_0042", "RUSTC_WRAPPER", ENV_COMMAND, NULL},
	{"GATEENV_0043", "RUSTC_WORKSPACE_WRAPPER", ENV_COMMAND, NULL},
	{"GATEENV_0044", "CARGO_TARGET_*_RUNNER", ENV_COMMAND, NULL},
	{"GATEENV_0045", "CARGO_TARGET_*_LINKER", ENV_COMMAND, NULL},
	{"GATEENV_0046", "RUSTC", ENV_COMMAND, NULL},
	{"GATEENV_0047", "JAVA_TOOL_OPTIONS", ENV_OPTIONS,
	 "-javaagent* -agentpath* -agentlib* -XX:OnError* -XX:OnOutOfMemoryError*"},
	{"GATEENV_0048", "_JAVA_OPTIONS", ENV_OPTIONS,
	 "-javaagent* -agentpath* -agentlib* -XX:OnError* -XX:OnOutOfMemoryError*"},
	{"GATEENV_0049", "GOFLAGS", ENV_OPTIONS, "-toolexec* -exec* -overlay* -vettool*"},
	{"GATEENV_0050", "MAKEFLAGS", ENV_OPTIONS, "--eval* -f* --file*"},
	{"GATEENV_0051", "TAR_OPTIONS", ENV_OPTIONS,
	 "--checkpoint-action* --to-command* -I* --use-compress-program* --info-script* -F*"},
	{"GATEENV_0052", "GREP_OPTIONS", ENV_LOAD, NULL},
	{"GATEENV_0053", "npm_config_script_shell", ENV_COMMAND, NULL},
	{"GATEENV_0054", "OPENSSL_CONF", ENV_LOAD, NULL},
	{"GATEENV_0055", "GCONV_PATH", ENV_LOAD, NULL},
	{"GATEENV_0056", "BASH_FUNC_*", ENV_LOAD, NULL},
	{"GATEENV_0057", "SHELLOPTS", ENV_LOAD, NULL},
	{"GATEENV_0058", "BASH_LOADABLES_PATH", ENV_LOAD, NULL},
	{"GATEENV_0059", "TERMINFO", ENV_TEMP, NULL},
	{"GATEENV_0060", "DOCKER_HOST", ENV_TEMP, NULL},
	{"GATEENV_0061", "PSQL_EDITOR", ENV_COMMAND, NULL},
	{"GATEENV_0062", "PSQL_PAGER", ENV_COMMAND, NULL},
	{"GATEENV_0063", "SUDO_ASKPASS", ENV_COMMAND, NULL},
	{"GATEENV_0064", "FCEDIT", ENV_COMMAND, NULL},
	{"GATEENV_0065", "command_not_found_handle", ENV_LOAD, NULL},
	{"GATEENV_0066", "PS1", ENV_PROMPT, NULL},
	{"GATEENV_0067", "PS2", ENV_PROMPT, NULL},
};

const struct gate_env *gate_envs(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(rows);
	return rows;
}

const struct gate_env *gate_env(struct view name)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (name.len && rows[i].name[0] == name.ptr[0] &&
		    gate_glob(rows[i].name, name, false))
			return &rows[i];
	return NULL;
}

bool gate_env_harmless(struct view program)
{
	return gate_in_list(
		": true false cat less more most bat delta diff-so-fancy head tee nano vi vim nvim "
		"view emacs emacsclient code subl micro hx helix kak ed notepad open xdg-open "
		"firefox chrome chromium safari w3m ssh sccache ccache difft colordiff echo gvim "
		"cursor zed idea less-color col man",
		program);
}

/* program, first operand (or ""), second (or ""). */
static const struct {
	const char *program, *first, *second;
} eval_safe[] = {
	{"ssh-agent", "", ""},
	{"direnv", "hook", ""},
	{"direnv", "export", ""},
	{"pyenv", "init", ""},
	{"pyenv", "virtualenv-init", ""},
	{"rbenv", "init", ""},
	{"nodenv", "init", ""},
	{"goenv", "init", ""},
	{"jenv", "init", ""},
	{"brew", "shellenv", ""},
	{"fnm", "env", ""},
	{"mise", "activate", ""},
	{"mise", "env", ""},
	{"mise", "hook-env", ""},
	{"opam", "env", ""},
	{"opam", "config", "env"},
	{"dircolors", "", ""},
	{"starship", "init", ""},
	{"zoxide", "init", ""},
	{"luarocks", "path", ""},
	{"conda", "shell.bash", "hook"},
	{"conda", "shell.zsh", "hook"},
	{"micromamba", "shell", "hook"},
	{"docker-machine", "env", ""},
	{"minikube", "docker-env", ""},
	{"minikube", "-p", ""},
	{"kubectl", "completion", ""},
	{"gh", "completion", ""},
	{"helm", "completion", ""},
	{"npm", "completion", ""},
	{"pip", "completion", ""},
	{"uv", "generate-shell-completion", ""},
	{"rustup", "completions", ""},
	{"register-python-argcomplete", "", ""},
	{"keychain", "", ""},
	{"gpg-agent", "", ""},
	{"thefuck", "--alias", ""},
	{"hub", "alias", ""},
	{"atuin", "init", ""},
	{"fzf", "", ""},
	{"resize", "", ""},
	{"tset", "", ""},
	{"locale", "", ""},
	{"volta", "setup", ""},
	{"poetry", "env", "activate"},
	{"devbox", "shellenv", ""},
	{"flox", "activate", ""},
	{"nix", "print-dev-env", ""},
};

bool gate_eval_safe(struct view program, struct view first, struct view second)
{
	for (size_t i = 0; i < ARRAY_LEN(eval_safe); i++)
		if (program.len && program.ptr[0] == eval_safe[i].program[0] &&
		    view_is(program, eval_safe[i].program) &&
		    (!eval_safe[i].first[0] || view_is(first, eval_safe[i].first)) &&
		    (!eval_safe[i].second[0] || view_is(second, eval_safe[i].second)))
			return true;
	return false;
}

bool gate_dev_tool(struct view name)
{
	return gate_in_list("tsc tsx ts-node eslint prettier jest vitest mocha ava tap c8 nyc "
			    "playwright cypress webpack "
			    "webpack-cli vite rollup esbuild parcel swc babel tailwindcss postcss "
			    "sass stylelint next nuxt "
			    "nuxi astro remix gatsby svelte-kit svelte-check vue-tsc "
			    "vue-cli-service ng nx turbo lerna "
			    "rush prisma drizzle-kit knex sequelize typeorm husky lint-staged "
			    "commitlint markdownlint "
			    "markdownlint-cli2 depcheck knip madge typedoc jsdoc storybook sb "
			    "rimraf concurrently nodemon "
			    "cross-env wait-on start-server-and-test react-scripts expo metro "
			    "detox graphql-codegen "
			    "openapi-typescript biome oxlint dprint tsup unbuild tsd api-extractor "
			    "changeset wdio karma "
			    "protractor gulp grunt bower mkdirp shx semver npm-check "
			    "npm-check-updates ncu size-limit "
			    "bundlesize source-map-explorer serve http-server json-server firebase "
			    "wrangler vercel netlify "
			    "serverless cdk hardhat truffle tsc-watch ts-jest xo standard cspell "
			    "secretlint publint attw "
			    "react-native electron electron-builder cap ionic workbox pm2 zx",
			    name);
}
