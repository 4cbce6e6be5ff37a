#!/bin/sh
# SPDX-License-Identifier: MIT
# Starts the installed confine-run with the arguments given here. The same bytes in every project and for every install
# prefix: it looks in a fixed list of places and refuses (status 125, nothing runs) when the program is missing, or when
# somebody other than root and you could have put another one there.
#
# Another prefix: root points at it with a link, ln -s /your/prefix/bin/confine-run /etc/agentteams/confine-run

# bash takes functions from the environment and prefers them to its own commands, unless POSIX rules hold. An assignment
# is no command, so this comes first; then nothing of the names used below is a function any more.
confine_run_shim_was=${POSIXLY_CORRECT+set}
confine_run_shim_posix=${POSIXLY_CORRECT-}
POSIXLY_CORRECT=1
unset -f unset exec exit set shift return export readonly eval cat cd id ls printf pwd readlink

confine_run_shim_refuse() {
	cat >&2 <<EOF
confine-run.sh: $1
confine-run.sh: nothing was started
EOF
	exit 125
}

# Sets mode and uid of what stands at a path; fails if there is nothing.
confine_run_shim_look() {
	# shellcheck disable=SC2046 # the words of the line are wanted; globbing is off
	set -- $(ls -ldn -- "$1" 2>/dev/null)
	confine_run_shim_mode=${1-} confine_run_shim_uid=${3-}
	case $confine_run_shim_mode in
	'') return 1 ;;
	esac
}

# Root or you may own it, nobody else may write to it. In a folder like /tmp, where only owners may replace things, what
# comes next is looked at anyway.
confine_run_shim_trust() {
	confine_run_shim_look "$1" || confine_run_shim_refuse "$1 vanished"
	case $confine_run_shim_uid in
	0 | "$confine_run_shim_me") ;;
	*) confine_run_shim_refuse "$1 belongs to user $confine_run_shim_uid, neither root nor you" ;;
	esac
	case $confine_run_shim_mode in
	?????-??-*) ;;
	d????????[tT]*) ;;
	*) confine_run_shim_refuse "$1 is writable by others ($confine_run_shim_mode)" ;;
	esac
}

# Every folder on the way to a path.
confine_run_shim_trust_way() {
	confine_run_shim_at='' confine_run_shim_rest=${1#/}
	while :; do
		confine_run_shim_trust "$confine_run_shim_at/."
		case $confine_run_shim_rest in
		*/*) ;;
		*) return 0 ;;
		esac
		confine_run_shim_at=$confine_run_shim_at/${confine_run_shim_rest%%/*}
		confine_run_shim_rest=${confine_run_shim_rest#*/}
	done
}

# Prints the physical path of a program that can be trusted; 1 if there is none at this place.
confine_run_shim_resolve() {
	confine_run_shim_to=$1
	for confine_run_shim_hop in 1 2 3 4 5 6 7 8; do
		confine_run_shim_look "$confine_run_shim_to" || return 1
		confine_run_shim_trust_way "$confine_run_shim_to"
		confine_run_shim_look "$confine_run_shim_to" || return 1
		case $confine_run_shim_mode in
		l*) ;;
		*) break ;;
		esac
		case $confine_run_shim_uid in
		0 | "$confine_run_shim_me") ;;
		*) confine_run_shim_refuse "$confine_run_shim_to belongs to user $confine_run_shim_uid" ;;
		esac
		case $confine_run_shim_hop in
		8) confine_run_shim_refuse "$1 is a link that doesn't end" ;;
		esac
		confine_run_shim_link=$(readlink -- "$confine_run_shim_to") || return 1
		case $confine_run_shim_link in
		/*) confine_run_shim_to=$confine_run_shim_link ;;
		*) confine_run_shim_to=${confine_run_shim_to%/*}/$confine_run_shim_link ;;
		esac
	done
	confine_run_shim_dir=$(cd -P -- "${confine_run_shim_to%/*}/" && pwd -P) || return 1
	case $confine_run_shim_to in
	"${confine_run_shim_dir%/}/${confine_run_shim_to##*/}") ;;
	*) # a folder on the way is a link: the way that it stands for counts as well
		confine_run_shim_to=${confine_run_shim_dir%/}/${confine_run_shim_to##*/}
		confine_run_shim_trust_way "$confine_run_shim_to"
		;;
	esac
	confine_run_shim_trust "$confine_run_shim_to"
	case $confine_run_shim_mode in
	-*) ;;
	*) confine_run_shim_refuse "$confine_run_shim_to is no regular file" ;;
	esac
	printf '%s\n' "$confine_run_shim_to"
}

confine_run_shim_find() (
	PATH=/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin
	CDPATH=''
	IFS=' 	
'
	set -f
	confine_run_shim_me=$(id -u) || confine_run_shim_refuse "can't tell who you are"
	for confine_run_shim_place in /etc/agentteams/confine-run \
		/usr/bin/confine-run /usr/local/bin/confine-run /opt/agentteams/bin/confine-run \
		/opt/homebrew/bin/confine-run /opt/local/bin/confine-run /usr/pkg/bin/confine-run \
		/run/current-system/sw/bin/confine-run; do
		confine_run_shim_resolve "$confine_run_shim_place" && exit 0
	done
	confine_run_shim_refuse "confine-run is not installed (looked in /usr/bin, /usr/local/bin, /opt/agentteams/bin \
and others, and at /etc/agentteams/confine-run)"
)

confine_run_shim_program=$(confine_run_shim_find) || exit

case $confine_run_shim_was in
set) POSIXLY_CORRECT=$confine_run_shim_posix ;;
*) unset POSIXLY_CORRECT ;;
esac
exec "$confine_run_shim_program" "$@"
