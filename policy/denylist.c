/* SPDX-License-Identifier: MIT */
/*
 * What no agent may read, whatever any other table says. Pure data; matched by match.c, decided by
 * pathread.c. A row is held against every component of every name of a file, in both cases, so a
 * folder's name refuses all that is in it. Each id has a denied and a near-miss case in
 * tests/cases/denylist.cases. New rows go to the end; an id is never reused.
 */
#include "base/base.h"

#include "policy/row.h"

#define SPEC "file 20, 7.1"
#define GAPS "file 20, 15.19"

static const struct deny_row rows[] = {
	/* version control: history, remotes with tokens, hooks that run later */
	{"DENY_0001", MATCH_EQUALS, ".git", "history, remotes and hooks", SPEC},
	{"DENY_0002", MATCH_EQUALS, ".hg", "history, remotes and hooks", SPEC},
	{"DENY_0003", MATCH_EQUALS, ".svn", "history and remotes", SPEC},
	/* our own control plane: queue, results, ledger */
	{"DENY_0004", MATCH_EQUALS, ".agentteams", "control plane of the team", SPEC},
	{"DENY_0005", MATCH_EQUALS, ".agentteams-queue", "requests of other agents", SPEC},
	/* credential folders */
	{"DENY_0006", MATCH_EQUALS, ".ssh", "SSH keys and hosts", SPEC},
	{"DENY_0007", MATCH_EQUALS, ".aws", "AWS credentials", SPEC},
	{"DENY_0008", MATCH_EQUALS, ".gnupg", "GnuPG keys", SPEC},
	{"DENY_0009", MATCH_EQUALS, ".kube", "Kubernetes credentials", SPEC},
	{"DENY_0010", MATCH_EQUALS, ".docker", "registry credentials", SPEC},
	/* credential files */
	{"DENY_0011", MATCH_EQUALS, ".env", "environment with secrets", SPEC},
	{"DENY_0012", MATCH_EQUALS, ".envrc", "environment with secrets", SPEC},
	{"DENY_0013", MATCH_EQUALS, ".netrc", "passwords for hosts", SPEC},
	{"DENY_0014", MATCH_EQUALS, ".npmrc", "registry tokens", SPEC},
	{"DENY_0015", MATCH_EQUALS, ".pypirc", "registry tokens", SPEC},
	{"DENY_0016", MATCH_EQUALS, ".pgpass", "database passwords", SPEC},
	{"DENY_0017", MATCH_EQUALS, ".htpasswd", "password hashes", SPEC},
	{"DENY_0018", MATCH_EQUALS, ".git-credentials", "passwords for remotes", SPEC},
	/* endings */
	{"DENY_0019", MATCH_SUFFIX, ".key", "private key", SPEC},
	{"DENY_0020", MATCH_SUFFIX, ".pem", "private key or certificate", SPEC},
	{"DENY_0021", MATCH_SUFFIX, ".p12", "key store", SPEC},
	{"DENY_0022", MATCH_SUFFIX, ".pfx", "key store", SPEC},
	{"DENY_0023", MATCH_SUFFIX, ".jks", "key store", SPEC},
	{"DENY_0024", MATCH_SUFFIX, ".keystore", "key store", SPEC},
	{"DENY_0025", MATCH_SUFFIX, ".kdbx", "password database", SPEC},
	{"DENY_0026", MATCH_SUFFIX, ".tfstate", "Terraform state holds secrets in clear", SPEC},
	{"DENY_0027", MATCH_SUFFIX, ".tfvars", "Terraform variables", SPEC},
	{"DENY_0028", MATCH_SUFFIX, ".env", "environment with secrets", SPEC},
	/* beginnings */
	{"DENY_0029", MATCH_PREFIX, "id_rsa", "SSH key", SPEC},
	{"DENY_0030", MATCH_PREFIX, "id_dsa", "SSH key", SPEC},
	{"DENY_0031", MATCH_PREFIX, "id_ecdsa", "SSH key", SPEC},
	{"DENY_0032", MATCH_PREFIX, "id_ed25519", "SSH key", SPEC},
	{"DENY_0033", MATCH_PREFIX, ".env.", "environment with secrets", SPEC},
	{"DENY_0034", MATCH_PREFIX, "credentials", "credentials of any tool", SPEC},
	/* in the middle */
	{"DENY_0035", MATCH_INFIX, ".tfstate.", "Terraform state: backups and locks", SPEC},
	/* what the first list missed */
	{"DENY_0036", MATCH_SUFFIX, ".ppk", "PuTTY key", GAPS},
	{"DENY_0037", MATCH_EQUALS, ".vault-token", "Vault token", GAPS},
	{"DENY_0038", MATCH_EQUALS, ".dockercfg", "registry credentials", GAPS},
	{"DENY_0039", MATCH_EQUALS, ".s3cfg", "S3 credentials", GAPS},
	{"DENY_0040", MATCH_EQUALS, ".boto", "cloud credentials", GAPS},
	{"DENY_0041", MATCH_AROUND, "service-account*.json", "Google service account key", GAPS},
	{"DENY_0042", MATCH_SUFFIX, ".ovpn", "VPN profile with keys", GAPS},
	{"DENY_0043", MATCH_SEQUENCE, ".m2/settings.xml", "Maven passwords", GAPS},
	{"DENY_0044", MATCH_SEQUENCE, ".config/gh", "GitHub token", GAPS},
	{"DENY_0045", MATCH_EQUALS, ".terraform", "Terraform backend state", GAPS},
	{"DENY_0046", MATCH_PREFIX, "secrets.", "file of secrets", GAPS},
	{"DENY_0047", MATCH_SUFFIX, ".asc", "OpenPGP key or message", GAPS},
	{"DENY_0048", MATCH_SUFFIX, ".gpg", "OpenPGP key or message", GAPS},
	{"DENY_0049", MATCH_PREFIX, "authorized_keys", "who may log in", GAPS},
	/* more version control stores */
	{"DENY_0050", MATCH_EQUALS, "git~1", "short name of .git on vfat and NTFS",
	 "git protectNTFS"},
	{"DENY_0051", MATCH_EQUALS, ".jj", "history and remotes", "Jujutsu"},
	{"DENY_0052", MATCH_EQUALS, ".bzr", "history and remotes", "Bazaar"},
	{"DENY_0053", MATCH_EQUALS, ".sl", "history and remotes", "Sapling"},
	{"DENY_0054", MATCH_EQUALS, ".subversion", "cached passwords", "Subversion"},
	{"DENY_0055", MATCH_EQUALS, ".cvspass", "CVS passwords", "CVS"},
	/* our operator's files: signing keys, allow lists, grants */
	{"DENY_0056", MATCH_SEQUENCE, ".config/agentteams", "operator's keys and policy",
	 "file 21, 14"},
	/* clouds and hosting */
	{"DENY_0057", MATCH_EQUALS, ".azure", "Azure tokens", "Azure CLI"},
	{"DENY_0058", MATCH_SEQUENCE, ".config/gcloud", "Google Cloud tokens", "gcloud"},
	{"DENY_0059", MATCH_FILE, "application_default_credentials.json",
	 "Google Cloud credentials", "gcloud"},
	{"DENY_0060", MATCH_AROUND, "service_account*.json", "Google service account key",
	 "Google Cloud"},
	{"DENY_0061", MATCH_AROUND, "serviceaccountkey*.json", "Firebase service account key",
	 "Firebase"},
	{"DENY_0062", MATCH_INFIX, "firebase-adminsdk", "Firebase service account key", "Firebase"},
	{"DENY_0063", MATCH_AROUND, "client_secret*.json", "OAuth client secret", "Google OAuth"},
	{"DENY_0064", MATCH_EQUALS, ".oci", "Oracle Cloud keys", "OCI CLI"},
	{"DENY_0065", MATCH_EQUALS, ".aliyun", "Alibaba Cloud keys", "Alibaba CLI"},
	{"DENY_0066", MATCH_SEQUENCE, ".config/doctl", "DigitalOcean token", "doctl"},
	{"DENY_0067", MATCH_SEQUENCE, ".config/hcloud", "Hetzner token", "hcloud"},
	{"DENY_0068", MATCH_EQUALS, ".fly", "Fly.io token", "flyctl"},
	{"DENY_0069", MATCH_SEQUENCE, ".config/netlify", "Netlify token", "Netlify CLI"},
	{"DENY_0070", MATCH_SEQUENCE, ".wrangler/config", "Cloudflare token", "Wrangler"},
	{"DENY_0071", MATCH_PREFIX, ".dev.vars", "secrets of a Cloudflare worker", "Wrangler"},
	{"DENY_0072", MATCH_EQUALS, ".cloudflared", "tunnel certificates", "cloudflared"},
	{"DENY_0073", MATCH_SEQUENCE, ".config/ngrok", "tunnel token", "ngrok"},
	{"DENY_0074", MATCH_EQUALS, ".ngrok2", "tunnel token", "ngrok"},
	{"DENY_0075", MATCH_SEQUENCE, ".config/stripe", "payment keys", "Stripe CLI"},
	{"DENY_0076", MATCH_SEQUENCE, ".config/rclone", "storage passwords", "rclone"},
	{"DENY_0077", MATCH_FILE, "rclone.conf", "storage passwords", "rclone"},
	/* infrastructure tools */
	{"DENY_0078", MATCH_EQUALS, ".terraform.d", "Terraform credentials", "Terraform"},
	{"DENY_0079", MATCH_EQUALS, ".terraformrc", "Terraform credentials", "Terraform"},
	{"DENY_0080", MATCH_FILE, "terraform.rc", "Terraform credentials", "Terraform"},
	{"DENY_0081", MATCH_SUFFIX, ".tfvars.json", "Terraform variables", "Terraform"},
	{"DENY_0082", MATCH_EQUALS, ".pulumi", "Pulumi credentials and state", "Pulumi"},
	{"DENY_0083", MATCH_PREFIX, ".vault_pass", "Ansible vault password", "Ansible"},
	{"DENY_0084", MATCH_PREFIX, ".vault-pass", "Ansible vault password", "Ansible"},
	{"DENY_0085", MATCH_SEQUENCE, ".config/sops", "age keys", "SOPS"},
	{"DENY_0086", MATCH_FILE, "kubeconfig", "Kubernetes credentials", "kubectl"},
	{"DENY_0087", MATCH_FILE, "kubeconfig.yaml", "Kubernetes credentials", "kubectl"},
	{"DENY_0088", MATCH_FILE, "kubeconfig.yml", "Kubernetes credentials", "kubectl"},
	{"DENY_0089", MATCH_SUFFIX, ".kubeconfig", "Kubernetes credentials", "kubectl"},
	{"DENY_0090", MATCH_SUFFIX, ".dockerconfigjson", "registry credentials", "Kubernetes"},
	{"DENY_0091", MATCH_SEQUENCE, "containers/auth.json", "registry credentials", "Podman"},
	/* source hosts, package registries, build tools */
	{"DENY_0092", MATCH_SEQUENCE, ".config/glab-cli", "GitLab token", "glab"},
	{"DENY_0093", MATCH_SEQUENCE, ".config/hub", "GitHub token", "hub"},
	{"DENY_0094", MATCH_SEQUENCE, ".m2/settings-security.xml", "Maven master password",
	 "Maven"},
	{"DENY_0095", MATCH_SEQUENCE, ".gradle/gradle.properties", "registry passwords", "Gradle"},
	{"DENY_0096", MATCH_SEQUENCE, ".nuget/nuget/nuget.config", "registry passwords", "NuGet"},
	{"DENY_0097", MATCH_SEQUENCE, ".bundle/config", "registry tokens", "Bundler"},
	{"DENY_0098", MATCH_SEQUENCE, "composer/auth.json", "registry tokens", "Composer"},
	{"DENY_0099", MATCH_SEQUENCE, ".composer/auth.json", "registry tokens", "Composer"},
	{"DENY_0100", MATCH_SEQUENCE, "pypoetry/auth.toml", "registry tokens", "Poetry"},
	{"DENY_0101", MATCH_EQUALS, ".sentryclirc", "Sentry token", "Sentry CLI"},
	/* coding agents */
	{"DENY_0102", MATCH_PREFIX, ".credentials", "credentials of any tool", "Claude Code"},
	{"DENY_0103", MATCH_EQUALS, ".claude.json", "account and server settings with keys",
	 "Claude Code"},
	{"DENY_0104", MATCH_SEQUENCE, ".codex/auth.json", "account token", "Codex"},
	{"DENY_0105", MATCH_FILE, "oauth_creds.json", "account token", "Gemini CLI"},
	{"DENY_0106", MATCH_SEQUENCE, "opencode/auth.json", "account tokens", "opencode"},
	{"DENY_0107", MATCH_SEQUENCE, ".config/github-copilot", "account token", "Copilot"},
	/* data tools */
	{"DENY_0108", MATCH_EQUALS, ".my.cnf", "database password", "MySQL"},
	{"DENY_0109", MATCH_EQUALS, ".mylogin.cnf", "database password", "MySQL"},
	{"DENY_0110", MATCH_EQUALS, ".databrickscfg", "Databricks token", "Databricks"},
	{"DENY_0111", MATCH_EQUALS, ".snowsql", "Snowflake password", "SnowSQL"},
	{"DENY_0112", MATCH_SEQUENCE, ".dbt/profiles.yml", "warehouse passwords", "dbt"},
	{"DENY_0113", MATCH_FILE, "kaggle.json", "Kaggle key", "Kaggle"},
	{"DENY_0114", MATCH_SEQUENCE, "huggingface/token", "Hugging Face token", "Hugging Face"},
	{"DENY_0115", MATCH_EQUALS, ".renviron", "environment with secrets", "R"},
	/* environment files in other spellings */
	{"DENY_0116", MATCH_PREFIX, ".env-", "environment with secrets", "dotenv"},
	{"DENY_0117", MATCH_PREFIX, ".env_", "environment with secrets", "dotenv"},
	{"DENY_0118", MATCH_EQUALS, ".direnv", "cached environment", "direnv"},
	/* keys and stores of keys */
	{"DENY_0119", MATCH_SUFFIX, ".p8", "private key", "PKCS 8"},
	{"DENY_0120", MATCH_SUFFIX, ".pk8", "private key", "PKCS 8"},
	{"DENY_0121", MATCH_SUFFIX, ".pkcs12", "key store", "PKCS 12"},
	{"DENY_0122", MATCH_SUFFIX, ".jceks", "key store", "Java"},
	{"DENY_0123", MATCH_SUFFIX, ".pgp", "OpenPGP key or message", "OpenPGP"},
	{"DENY_0124", MATCH_SUFFIX, ".kdb", "password database", "KeePass"},
	{"DENY_0125", MATCH_SUFFIX, ".psafe3", "password database", "Password Safe"},
	{"DENY_0126", MATCH_SUFFIX, ".kwallet", "password database", "KWallet"},
	{"DENY_0127", MATCH_SUFFIX, ".keychain", "password database", "macOS"},
	{"DENY_0128", MATCH_SUFFIX, ".keychain-db", "password database", "macOS"},
	{"DENY_0129", MATCH_SUFFIX, ".keytab", "Kerberos keys", "Kerberos"},
	{"DENY_0130", MATCH_PREFIX, "krb5cc_", "Kerberos tickets", "Kerberos"},
	{"DENY_0131", MATCH_AROUND, "ssh_host_*_key", "SSH host key", "OpenSSH"},
	{"DENY_0132", MATCH_FILE, "private_key", "private key", "Vagrant"},
	{"DENY_0133", MATCH_FILE, "wallet.dat", "wallet", "Bitcoin"},
	{"DENY_0134", MATCH_PREFIX, "utc--", "wallet key", "Ethereum"},
	{"DENY_0135", MATCH_SEQUENCE, ".config/solana", "wallet key", "Solana"},
	{"DENY_0136", MATCH_EQUALS, ".password-store", "password database", "pass"},
	{"DENY_0137", MATCH_SEQUENCE, ".config/op", "password manager session", "1Password"},
	{"DENY_0138", MATCH_SEQUENCE, ".local/share/keyrings", "password database", "GNOME"},
	{"DENY_0139", MATCH_SEQUENCE, "library/keychains", "password database", "macOS"},
	/* logins, sessions, histories of a home folder */
	{"DENY_0140", MATCH_EQUALS, "_netrc", "passwords for hosts", "curl on Windows"},
	{"DENY_0141", MATCH_PREFIX, ".authinfo", "passwords for hosts", "Emacs"},
	{"DENY_0142", MATCH_EQUALS, ".htdigest", "password hashes", "Apache"},
	{"DENY_0143", MATCH_EQUALS, ".smbcredentials", "share password", "CIFS"},
	{"DENY_0144", MATCH_SEQUENCE, ".vnc/passwd", "remote desktop password", "VNC"},
	{"DENY_0145", MATCH_EQUALS, ".xauthority", "display cookie", "X11"},
	{"DENY_0146", MATCH_EQUALS, ".iceauthority", "session cookie", "X11"},
	{"DENY_0147", MATCH_EQUALS, ".erlang.cookie", "cluster cookie", "Erlang"},
	{"DENY_0148", MATCH_AROUND, ".*_history", "typed commands with secrets", "shells"},
	{"DENY_0149", MATCH_EQUALS, ".mozilla", "browser profile", "Firefox"},
	{"DENY_0150", MATCH_EQUALS, ".thunderbird", "mail profile", "Thunderbird"},
	{"DENY_0151", MATCH_SEQUENCE, ".config/google-chrome", "browser profile", "Chrome"},
	{"DENY_0152", MATCH_SEQUENCE, ".config/chromium", "browser profile", "Chromium"},
	{"DENY_0153", MATCH_SEQUENCE, "etc/shadow", "password hashes", "shadow(5)"},
	{"DENY_0154", MATCH_SEQUENCE, "etc/gshadow", "password hashes", "gshadow(5)"},
};

/* Templates that hold no secret and that people are meant to read. Skips this one component, never
 * the others, and never an operator's entry. Compared unstripped: ".env.example~" is denied. */
static const struct deny_row exceptions[] = {
	{"KEEP_01", MATCH_EQUALS, ".env.example", "template without values", SPEC},
	{"KEEP_02", MATCH_EQUALS, ".env.sample", "template without values", SPEC},
	{"KEEP_03", MATCH_EQUALS, ".env.template", "template without values", SPEC},
	{"KEEP_04", MATCH_EQUALS, ".env-example", "template without values", "dotenv"},
	{"KEEP_05", MATCH_EQUALS, ".env-sample", "template without values", "dotenv"},
	{"KEEP_06", MATCH_EQUALS, ".env_example", "template without values", "dotenv"},
	{"KEEP_07", MATCH_EQUALS, ".env_sample", "template without values", "dotenv"},
	{"KEEP_08", MATCH_EQUALS, ".dev.vars.example", "template without values", "Wrangler"},
};

/*
 * Left out on purpose:
 * - .claude, .goose, .codex, .github: agents may read their own definitions (file 20, 15.20);
 *   writing there is another rule's matter.
 * - .yarnrc.yml, nuget.config, pip.conf, gradle.properties, bunfig.toml, .condarc in the project:
 *   ordinary settings that agents have to read; a token in one belongs in the operator's deny.list.
 * - secret.*, password*, token*, auth.json: everyday names of source files, tests and translations.
 *   "secrets.*" is denied with its source files too: on small boards they hold real passwords.
 * - .crt, .cer, .der, .csr, *.pub: public parts.
 * - google-services.json: its keys are shipped in every copy of the application.
 * - database.yml, settings.py, docker-compose.yml: source, with or without a secret in it. No list
 *   of names finds those; scanning content isn't this tool's job.
 * - 8.3 names other than git~1: vfat makes them up per folder. Keep secrets off such volumes.
 */

const struct deny_row *denylist_rows(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(rows);
	return rows;
}

const struct deny_row *denylist_exceptions(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(exceptions);
	return exceptions;
}
