# shellcheck shell=sh
# A host, an internet and a sandbox for tests of filtered egress, in namespaces of an ordinary user:
#
#   . tests/lib/tap.sh; . tests/lib/netlab.sh
#   netlab_enter "$0" "$@"     # starts the script again as root of new user, network and mount namespaces
#   netlab_begin               # the internet is there; $LAB is its folder (dns.log, tcp.log, cert.pem)
#   box RULES COMMAND...       # runs a command in a sandbox whose only way out is the proxy; report in $LAB/report
#
# This namespace is the host: it reaches everything, private addresses as well, which is the positive control.

netlab_enter() {
	[ -z "${NETLAB_INSIDE:-}" ] || return 0
	[ -n "$TEST_PYTHON3" ] || tap_skip_all "no python3 to play the internet"
	for netlab_tool in ip unshare nsenter curl openssl; do
		command -v $netlab_tool >/dev/null || tap_skip_all "no $netlab_tool"
	done
	netlab_why=$(unshare --user --map-root-user --net --mount sh -c 'ip link set lo up && ip link add x type veth peer name y &&
		mount -t tmpfs none /run' 2>&1) || tap_skip_all "no namespaces of its own here: $netlab_why"
	NETLAB_INSIDE=1
	export NETLAB_INSIDE
	tap_end
	trap - EXIT
	exec unshare --user --map-root-user --net --mount --pid --fork --mount-proc --kill-child sh "$@"
}

netlab_begin() {
	LAB=$TMP/lab
	mkdir -p "$LAB/www/cgi"
	BOX=$TOP_BUILDDIR/tests/helpers/egressbox
	ip link set lo up
	unshare --net sleep 100000 &
	netlab_internet=$!
	until [ "$(readlink /proc/$netlab_internet/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
	ip link add h0 type veth peer name i0 netns $netlab_internet
	ip addr add 93.184.216.1/24 dev h0
	ip -6 addr add 2606:2800:220:1::1/64 dev h0 nodad 2>/dev/null || netlab_no_ipv6=1
	ip link set h0 up
	ip route add default via 93.184.216.2
	in_internet ip link set lo up
	in_internet ip link set i0 up
	for netlab_addr in 93.184.216.2/24 93.184.216.34/24 93.184.216.35/24 93.184.216.53/24 10.0.0.5/32 169.254.169.254/32; do
		in_internet ip addr add $netlab_addr dev i0
	done
	if [ -z "${netlab_no_ipv6:-}" ]; then
		in_internet ip -6 addr add 2606:2800:220:1::34/64 dev i0 nodad
	fi
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -addext 'subjectAltName=DNS:a.example,DNS:b.example,DNS:x.b.example,DNS:six.example,DNS:git.example' \
		-keyout "$LAB/key.pem" -out "$LAB/crt.pem" >/dev/null 2>&1
	cat "$LAB/key.pem" "$LAB/crt.pem" >"$LAB/cert.pem"
	echo 'nameserver 93.184.216.53' >"$LAB/resolv.conf"
	echo '127.0.0.1 localhost' >"$LAB/hosts"
	echo 'hosts: files dns' >"$LAB/nsswitch.conf"
	for netlab_file in resolv.conf hosts nsswitch.conf; do
		mount --bind "$LAB/$netlab_file" "$(readlink -f /etc/$netlab_file)"
	done
	: >"$LAB/dns.log"
	: >"$LAB/tcp.log"
	in_internet "$TEST_PYTHON3" "$TOP_SRCDIR/tests/helpers/internet.py" "$LAB" >"$LAB/internet.out" 2>&1 &
	netlab_server=$!
	netlab_tries=0
	until [ -e "$LAB/ready" ]; do
		netlab_tries=$((netlab_tries + 1))
		if [ $netlab_tries -gt 200 ] || ! kill -0 $netlab_server 2>/dev/null; then
			tap_result 1 "the internet starts"
			tap_note "$(cat "$LAB/internet.out")"
			exit 1
		fi
		sleep 0.1
	done
}

in_internet() {
	nsenter -t $netlab_internet --net "$@"
}

box() {
	netlab_rules=$1
	shift
	"$BOX" "$netlab_rules" "$LAB/report" -- "$@"
}
