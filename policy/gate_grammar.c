/* SPDX-License-Identifier: MIT */
/* Which options take their value as the next word: without this a sub-command or an operand could
 * hide behind an option. Rows of a family stand together, the program's own options first.
 * Test: t_tables, the case files (group D of gate-dangerous.cases). */
#include "base/base.h"

#include "policy/gate.h"

static const struct gate_grammar rows[] = {
	{"git", "", "Cc",
	 "--git-dir --work-tree --namespace --exec-path --config-env --super-prefix --attr-source "
	 "--list-cmds"},
	{"git", "push", "o", "--repo --receive-pack --exec --push-option --recurse-submodules"},
	{"git", "commit", "mFCctuS",
	 "--message --file --reuse-message --reedit-message --template --author --date --fixup "
	 "--squash --cleanup --trailer --pathspec-from-file"},
	{"git", "tag", "mFu", "--message --file --local-user --sort --format --cleanup"},
	{"git", "branch", "u",
	 "--set-upstream-to --sort --format --points-at --color --contains --no-contains --merged "
	 "--no-merged"},
	{"git", "checkout", "bB", "--orphan --conflict --pathspec-from-file"},
	{"git", "switch", "cC", "--create --force-create --orphan --conflict"},
	{"git", "restore", "s", "--source --conflict --pathspec-from-file"},
	{"git", "reset", "", "--pathspec-from-file"},
	{"git", "rebase", "xsXC", "--exec --onto --strategy --strategy-option"},
	{"git", "merge", "msXF",
	 "--message --strategy --strategy-option --file --cleanup --into-name"},
	{"git", "pull", "sX", "--strategy --strategy-option --upload-pack"},
	{"git", "fetch", "jo",
	 "--upload-pack --depth --deepen --shallow-since --shallow-exclude --refmap --jobs "
	 "--server-option"},
	{"git", "clone", "boucj",
	 "--branch --origin --upload-pack --depth --reference --config --template --jobs --filter "
	 "--separate-git-dir --server-option"},
	{"git", "ls-remote", "o", "--upload-pack --exec --sort --server-option"},
	{"git", "log", "nLSGOl",
	 "--author --committer --grep --since --until --after --before --format --pretty --date "
	 "--max-count --skip"},
	{"git", "grep", "efABCmO", "--max-depth --threads --max-count"},
	{"git", "clean", "e", "--exclude"},
	{"git", "config", "f", "--file --blob --type --default --get-color"},
	{"git", "stash", "m", "--message --pathspec-from-file"},
	{"git", "worktree", "bB", "--reason --expire"},
	{"git", "submodule", "bj", "--branch --name --reference --depth --jobs"},
	{"git", "notes", "mFcC", "--message --file --ref"},
	{"git", "difftool", "tx", "--tool --extcmd"},
	{"git", "gc", "", "--expire-to"},
	{"git", "update-ref", "m", "--create-reflog"},
	{"git", "archive", "o", "--format --output --remote --exec --prefix"},
	{"git", "describe", "", "--match --exclude --candidates"},
	{"git", "filter-branch", "d",
	 "--tree-filter --index-filter --msg-filter --env-filter --commit-filter --tag-name-filter "
	 "--parent-filter --subdirectory-filter --setup --original"},
	{"gh", "", "RHXfFqtbBnLSalmsoTpjucewe",
	 "--repo --hostname --method --field --raw-field --header --input --jq --template --title "
	 "--body --body-file --base --head --limit --state --search --label --assignee --author "
	 "--milestone --json --notes --notes-file --project --reviewer --subject --env --org "
	 "--user --cache --preview --target --branch --workflow --commit --event --ref --field "
	 "--app --visibility --match-head-commit --author-email --add-label --remove-label --color "
	 "--description --filename"},
	{"glab", "", "RgXFfHdtbasl",
	 "--repo --group --method --field --raw-field --header --title --description --assignee "
	 "--label --input"},
	{"hub", "", "CcXFfHtmb", "--raw-field --field --header --method --input"},
	{"curl", "", "XdHouAebcCDEFhKmPQrtTUwxyYzZ",
	 "--request --data --data-raw --data-binary --data-ascii --data-urlencode --json --form "
	 "--form-string --header --output --output-dir --user --user-agent --referer --cookie "
	 "--cookie-jar --config --max-time --connect-timeout --retry --retry-delay "
	 "--retry-max-time --url --proxy --resolve --connect-to --cacert --cert --key "
	 "--upload-file --range --write-out --interface --limit-rate --max-redirs --variable "
	 "--unix-socket --ciphers --dump-header --trace --trace-ascii --stderr"},
	{"wget", "", "OPoaeqtTUiAR",
	 "--output-document --directory-prefix --output-file --append-output --execute --tries "
	 "--timeout --user-agent --input-file --header --method --body-data --body-file "
	 "--post-data --post-file --user --password --accept --reject --load-cookies "
	 "--save-cookies --referer --base --domains --level --wait --limit-rate --use-askpass"},
	{"httpie", "", "aAodps",
	 "--auth --auth-type --output --print --session --session-read-only --proxy --timeout "
	 "--verify --cert --style --pretty --raw --format-options"},
	{"aria2c", "", "doijskx", "--dir --out --input-file"},
	{"kubectl", "", "nsflopcLkvjR",
	 "--namespace --context --cluster --user --kubeconfig --server --token --as --as-group "
	 "--request-timeout --selector --output --filename --container --field-selector --cascade "
	 "--grace-period --timeout --image --replicas --port --type --patch --template --for "
	 "--since --tail --kustomize --label-columns --sort-by --profile --cache-dir "
	 "--certificate-authority --client-certificate --client-key --tls-server-name --v"},
	{"helm", "", "nfo",
	 "--namespace --kube-context --kubeconfig --values --set --set-string --set-file --version "
	 "--repo --timeout --output --registry-config --repository-config --burst-limit"},
	{"docker", "", "HlcDpevwfutanmhLg",
	 "--host --context --config --log-level --tlscacert --tlscert --tlskey --format --filter "
	 "--file --tag --name --env --env-file --volume --mount --workdir --user --network "
	 "--publish --entrypoint --platform --build-arg --target --label --memory --cpus --restart "
	 "--hostname --add-host --cap-add --cap-drop --device --ulimit --tmpfs --pull --progress "
	 "--cache-from --cache-to --output --secret --ssh --builder --tail --since --until "
	 "--project-name --project-directory --profile --gpus --shm-size --ip --link --log-driver "
	 "--log-opt --pid --ipc --uts --userns --security-opt --stop-signal --volumes-from --time "
	 "--connection --url --identity --detach-keys --index --expose --dns"},
	{"docker-compose", "", "fpveuwtT",
	 "--file --project-name --project-directory --profile --env-file --ansi --timeout --volume "
	 "--env --user --workdir --name --entrypoint --tail --scale --rmi --parallel --progress"},
	{"terraform", "", "", "--target --var-file --var --state --backup"},
	{"aws", "", "",
	 "--profile --region --output --endpoint-url --query --ca-bundle --cli-read-timeout "
	 "--cli-connect-timeout --color --cli-binary-format"},
	{"gcloud", "", "",
	 "--project --account --configuration --format --filter --verbosity --zone --region "
	 "--impersonate-service-account --billing-project --flatten --flags-file "
	 "--access-token-file --sort-by --limit"},
	{"gsutil", "", "oh", ""},
	{"az", "", "ognls", "--output --query --subscription --resource-group --name --location"},
	{"doctl", "", "tcuo", "--access-token --context --output --config --api-url"},
	{"heroku", "", "ar", "--app --remote --confirm"},
	{"flyctl", "", "act", "--app --config --access-token"},
	{"vercel", "", "tS", "--token --scope --cwd --local-config"},
	{"pulumi", "", "Csv", "--cwd --stack --config-file --profiling"},
	{"npm", "", "wC",
	 "--prefix --registry --workspace --userconfig --globalconfig --cache --loglevel --tag "
	 "--otp --access --package --call --script-shell --dir --omit --include --location"},
	{"npx", "", "pcw", "--package --call --registry --cache --prefix --workspace"},
	{"pnpm", "", "CFp",
	 "--dir --filter --prefix --registry --workspace-root --reporter --package --loglevel "
	 "--store-dir --config --filter-prod"},
	{"yarn", "", "",
	 "--cwd --registry --cache-folder --modules-folder --use-yarnrc --mutex --network-timeout"},
	{"yarn", "node", "ep", "--eval --print"},
	{"bun", "", "crep",
	 "--eval --print --cwd --config --preload --env-file --registry --filter"},
	{"deno", "", "cL", "--config --import-map --lock --log-level --cert --location"},
	{"pip", "", "retcib",
	 "--requirement --constraint --index-url --extra-index-url --find-links --target --prefix "
	 "--root --python --proxy --timeout --log --cache-dir --trusted-host --src --editable "
	 "--platform --python-version --report --format --path --exclude"},
	{"uv", "", "pfcriC",
	 "--project --directory --python --config-file --cache-dir --color --index-url "
	 "--extra-index-url --index --with --with-requirements --package --extra --group "
	 "--env-file --from --requirements --constraint --target"},
	{"uvx", "", "pfcwi", "--from --with --python --index-url --index --directory --project"},
	{"poetry", "", "PC",
	 "--project --directory --group --source --extras --python --with --without --only"},
	{"pipx", "", "", "--spec --python --index-url --pip-args --suffix"},
	{"conda", "", "npcf", "--name --prefix --channel --file --cwd"},
	{"apt", "", "oct",
	 "--option --config-file --target-release --default-release --host-architecture"},
	{"dnf", "", "cdex",
	 "--config --enablerepo --disablerepo --exclude --installroot --releasever --setopt --repo "
	 "--downloaddir"},
	{"zypper", "", "cRxr", "--config --root --repo --cache-dir --reposd-dir"},
	{"apk", "", "pXt",
	 "--root --repository --virtual --arch --keys-dir --repositories-file --cache-dir"},
	{"brew", "", "", "--cask-appdir"},
	{"cargo", "", "CZpFj",
	 "--manifest-path --config --color --target-dir --package --features --target --bin "
	 "--example --jobs --profile --version --git --branch --tag --rev --registry --index "
	 "--path --root --rename --token --bench --test --message-format --exclude"},
	{"go", "", "oprjC",
	 "--mod --tags --ldflags --gcflags --run --bench --coverprofile --timeout --count --exec "
	 "--toolexec --modfile --overlay --coverpkg --cpu"},
	{"gem", "", "vinrP",
	 "--version --install-dir --bindir --source --platform --host --key --otp"},
	{"composer", "", "d", "--working-dir"},
	{"flatpak", "", "", "--installation --arch --branch --app --command"},
	{"snap", "", "", "--channel --revision --cohort"},
	{"nix-env", "", "fpI", "--file --profile --arg --argstr --option"},
	{"rsync", "", "efTB",
	 "--rsh --exclude --include --exclude-from --include-from --files-from --rsync-path "
	 "--log-file --backup-dir --suffix --bwlimit --chmod --chown --out-format --filter "
	 "--max-size --min-size --partial-dir --port --password-file --temp-dir --compare-dest "
	 "--copy-dest --link-dest --info --timeout"},
	{"scp", "", "cFiJloPSXD", ""},
	{"ssh", "", "bcDEeFIiJLlmOopQRSWwB", ""},
	{"tar", "", "fCTXFbKNLIVgH",
	 "--file --directory --files-from --exclude-from --exclude --transform --xform --owner "
	 "--group --mode --mtime --use-compress-program --to-command --checkpoint-action "
	 "--info-script --new-volume-script --rmt-command --rsh-command --strip-components "
	 "--blocking-factor --newer --one-file-system-id --format --add-file --record-size "
	 "--tape-length --label --listed-incremental"},
	{"zip", "", "tbnxi", "-TT --unzip-command --exclude --include --temp-path"},
	{"unzip", "", "dxP", ""},
	{"chmod", "", "", "--reference"},
	{"chown", "", "", "--reference --from"},
	{"cp", "", "tSZ", "--target-directory --suffix"},
	{"mv", "", "tSZ", "--target-directory --suffix"},
	{"ln", "", "tS", "--target-directory --suffix"},
	{"install", "", "mogtSZ", "--mode --owner --group --target-directory --suffix"},
	{"mkdir", "", "mZ", "--mode"},
	{"touch", "", "drt", "--date --reference --time"},
	{"truncate", "", "sr", "--size --reference"},
	{"sed", "", "efl", "--expression --file --line-length"},
	{"awk", "", "Ffvielo", "--field-separator --file --assign --include --load --source"},
	{"patch", "", "pioBDdFgrVYz", "--strip --input --output --directory --reject-file"},
	{"sort-rw", "", "okStT",
	 "--output --key --buffer-size --field-separator --temporary-directory --compress-program "
	 "--parallel --files0-from --random-source --sort --batch-size"},
	{"split", "", "abClntn",
	 "--suffix-length --bytes --lines --line-bytes --number --filter --additional-suffix "
	 "--separator"},
	{"shred", "", "ns", "--iterations --size --random-source"},
	{"grep", "", "efABCmdD",
	 "--regexp --file --max-count --include --exclude --exclude-dir --include-dir --color "
	 "--context --after-context --before-context --label"},
	{"rg", "", "efgtTABCmjrMd",
	 "--regexp --file --glob --iglob --type --type-not --max-count --pre --pre-glob "
	 "--hostname-bin --replace --threads --max-depth --context --after-context "
	 "--before-context --sort --sortr --engine --encoding --max-columns --max-filesize "
	 "--color"},
	{"man", "", "CPpSseELmMrR",
	 "--pager --config-file --sections --extension --locale --manpath --preprocessor --recode "
	 "--prompt"},
	{"less", "", "bhjkoOpPtTxyz", ""},
	{"python", "", "cmWXQ", "--check-hash-based-pycs"},
	{"perl", "", "eEMmIFCx", ""},
	{"ruby", "", "eIrCEFTxW", "--encoding"},
	{"node", "", "eprC",
	 "--eval --print --require --import --loader --experimental-loader --conditions --env-file "
	 "--inspect-port --title --test-name-pattern --test-reporter --max-old-space-size "
	 "--stack-trace-limit --input-type"},
	{"ts-node", "", "eprP", "--eval --print --require --project --tsconfig"},
	{"php", "", "rBREFcdftSz",
	 "--run --process-begin --process-code --process-end --process-file --define --php-ini "
	 "--file --server --docroot"},
	{"lua", "", "el", ""},
	{"rscript", "", "e", ""},
	{"osascript", "", "els", ""},
	{"sh", "", "coO", "--rcfile --init-file"},
	{"psql", "", "cdfhpULoFRTvP",
	 "--command --dbname --file --host --port --username --log-file --output --field-separator "
	 "--record-separator --table-attr --set --variable --pset"},
	{"mysql", "", "ehPuDS",
	 "--execute --host --port --user --database --socket --init-command --delimiter "
	 "--default-character-set --login-path"},
	{"mysqladmin", "", "hPuS", "--host --port --user --socket --password"},
	{"sqlite", "", "", "--cmd --init --separator --newline --nullvalue --vfs --mmap"},
	{"duckdb", "", "csf", "--cmd --init --separator --newline --nullvalue"},
	{"mongo", "", "uph",
	 "--eval --host --port --username --password --authenticationDatabase --file"},
	{"redis-cli", "", "hpsanuridDx", "--user --pass --uri --eval --cacert --cert --key --sni"},
	{"clickhouse", "", "qhudCF",
	 "--query --queries-file --host --port --user --password --database --config-file "
	 "--format"},
	{"sqlcmd", "", "QqSdUPioEvs", ""},
	{"cockroach", "", "edu", "--execute --host --url --database --user --certs-dir"},
	{"systemctl", "", "HMnopstP",
	 "--host --machine --type --state --property --lines --output --root --job-mode --kill-who "
	 "--signal --what"},
	{"rustup", "", "", "--toolchain --profile --target"},
	{"mvn", "", "fsDPplbrtT",
	 "--file --settings --define --activate-profiles --projects --log-file --resume-from "
	 "--threads"},
	{"gradle", "", "pbcgIPDxF",
	 "--project-dir --build-file --settings-file --gradle-user-home --init-script "
	 "--project-prop --system-prop --exclude-task --tests --console"},
	{"dotnet", "", "ksovcfr",
	 "--source --api-key --output --version --configuration --framework --runtime --project"},
	{"crontab", "", "u", ""},
	{"rclone", "", "", "--config --filter --include --exclude --transfers --checkers"},
	{"vim", "", "cSTuUVwWi",
	 "--cmd --servername --remote-send --remote-expr --startuptime --listen --server"},
	{"emacs", "", "lfuLq", "--eval --load --funcall --user --directory --execute --execute"},
	{"gdb", "", "xpcdsu",
	 "--command --eval-command --exec --symbols --core --pid --cd --directory --init-command "
	 "--init-eval-command --ex --iex --ix"},
	{"make", "", "fCIjloW",
	 "--file --makefile --directory --include-dir --jobs --load-average --old-file --what-if "
	 "--eval"},
	{"tmux", "", "LSfTcnstFexyb", ""},
	{"screen", "", "cehpsStTX", ""},
	{"ansible", "", "iuemaMfltvkT",
	 "--inventory --user --extra-vars --module-name --args --module-path --forks --limit"},
	{"mc", "", "C", "--config-dir"},
	{"bq", "", "", "--project_id --dataset_id --location --format"},
	{"nix", "", "If", "--option --expr --file --arg --argstr --profile --override-input"},
	{"nix-shell", "", "IpA", "--run --command --packages --arg --argstr --option --attr"},
	{"vagrant", "", "", "--provider"},
	{"kill", "", "snF", "--signal --queue"},
	{"pwsh", "", "cfe",
	 "-Command -command -File -file -EncodedCommand -enc -ec -ExecutionPolicy "
	 "-WorkingDirectory"},
	{"manage.py", "", "cv", "--command --settings --pythonpath --database --verbosity"},
	{"nc", "", "eciIkmOpqsTVwXx", "--exec --sh-exec --source-port --wait --delay"},
	{"lynx", "", "", "-editor -cfg -lss -auth -useragent -width"},
	{"expect", "", "cf", ""},
	{"mapfile", "", "dnOsuCc", ""},
	{"complete", "", "ACFGoPSWX", ""},
	{"bind", "", "xfqurm", ""},
	{"lldb", "", "oOkKsSfnpcax",
	 "--one-line --one-line-before-file --source --file --attach-name --attach-pid --core"},
	{"yt-dlp", "", "ofPSR", "--exec --exec-before-download --output --format --paths"},
	{"cqlsh", "", "efukp", "--execute --file --username --password --keyspace"},
};

const struct gate_grammar *gate_grammars(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(rows);
	return rows;
}

const struct gate_grammar *gate_grammar(struct view family, struct view sub)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].family[0] == family.ptr[0] && view_is(family, rows[i].family) &&
		    view_is(sub, rows[i].sub))
			return &rows[i];
	return NULL;
}
