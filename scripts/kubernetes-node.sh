# The node of scripts/kubernetes, which sources this. It lives in namespaces of its own: its mounts, interfaces, packet filter
# rules and processes end with its first process. Outside there are only a bridge, with the addresses and routes on it, and
# a cgroup in each hierarchy; both carry the cluster's folder, so that they are found again whatever happened.
# shellcheck shell=bash

node_files=$here/../test/kubernetes/node
cgroup=atoll-kubernetes-$(printf %s "$dir" | cksum | cut -d' ' -f1)

node_possible() {
    local tool
    [ "$(id -u)" = 0 ] || { echo "skipped: a node needs root" >&2; exit 77; }
    for tool in containerd ctr runc iptables conntrack ip unshare clang-19 /usr/lib/cni/ptp; do
        command -v $tool >/dev/null || { echo "skipped: $tool is not installed (scripts/setup)" >&2; exit 77; }
    done
    unshare -m -u -i -n -C -p -f true 2>/dev/null || { echo "skipped: this machine lets us make no namespaces" >&2; exit 77; }
    case $dir/ in
        /run/* | /var/run/* | /var/lib/* | /var/log/*) echo "the folder of a node may not lie below /run, /var/lib or /var/log" >&2; exit 2 ;;
    esac
}

# The archives of what runs in the node, in the cache beside their programs.
make_images() {
    local name
    addons=$("$here/kubernetes-binaries" --addons)
    if [ ! -e "$addons/pause.tar" ] || [ "$node_files/pause.c" -nt "$addons/pause.tar" ]; then
        clang-19 -static -Os -s -o "$addons/pause" "$node_files/pause.c"
        "$here/image-archive" localhost/pause:1 "$addons/pause.tar" --program "$addons/pause=/pause" --entrypoint /pause
    fi
    for name in coredns metrics-server provisioner; do
        [ -e "$addons/$name.tar" ] || "$here/image-archive" "localhost/$name:1" "$addons/$name.tar" \
            --program "$addons/$name=/$name" --entrypoint "/$name"
    done
}

network_of() { # INDEX: sets the addresses of the cluster with that number
    local prefix=10.$((64 + $1))
    host_address=$prefix.0.1 node_address=$prefix.0.2
    pods=$prefix.1.0/24 services=$prefix.2.0/24 dns_address=$prefix.2.10 api_service=$prefix.2.1
    bridge=atollk$1
}

# Claims the first number whose bridge and addresses nobody has. The bridge's alias says whose it is.
claim_network() {
    local i
    exec 8</run # one at a time on this machine
    flock 8
    for i in $(seq 0 63); do
        network_of "$i"
        ! ip link show "$bridge" >/dev/null 2>&1 || continue
        ! ip -4 route show table all | grep -qE "(^|[ /])10\.$((64 + i))\." || continue
        ip link add "$bridge" type bridge && ip link set "$bridge" alias "$dir" && break
    done
    exec 8>&-
    [ "$(bridge_of_folder)" = "$bridge" ] || fail "no free network among 10.64.0.0/16 to 10.127.0.0/16"
    ip addr add "$host_address/24" dev "$bridge"
    ip link set "$bridge" up
    ip route add "$pods" via "$node_address" dev "$bridge"
    ip route add "$services" via "$node_address" dev "$bridge"
}

bridge_of_folder() {
    ip -j link show type bridge | jq -r --arg dir "$dir" '.[] | select(.ifalias == $dir) | .ifname'
}

certificate() { # NAME SUBJECT: a key and a certificate by the authority of this cluster
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj "$2" -keyout "$certificates/$1.key" \
        -out "$certificates/$1.crt" "${@:3}" 2>/dev/null
}

# What must be there before the API server starts: the network, whose address it listens on, and the certificates by which
# it speaks to the kubelet and to other API servers.
prepare_node() {
    local by=(-CA "$certificates/ca.crt" -CAkey "$certificates/ca.key")
    claim_network
    address=$host_address
    certificate ca /CN=atoll-kubernetes
    certificate kubelet-client /O=system:masters/CN=kubelet-client "${by[@]}"
    certificate front-proxy /CN=front-proxy "${by[@]}"
    kubelet_token=$(openssl rand -hex 16)
    echo "$kubelet_token,system:node:node,node,system:nodes" >>"$dir/tokens.csv"
    node_apiserver_arguments=(--advertise-address="$host_address" --enable-aggregator-routing=true
        --enable-admission-plugins=NodeRestriction
        --kubelet-client-certificate="$certificates/kubelet-client.crt" --kubelet-client-key="$certificates/kubelet-client.key"
        --kubelet-preferred-address-types=InternalIP
        --requestheader-client-ca-file="$certificates/ca.crt" --requestheader-allowed-names=front-proxy
        --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group
        --requestheader-extra-headers-prefix=X-Remote-Extra-
        --proxy-client-cert-file="$certificates/front-proxy.crt" --proxy-client-key-file="$certificates/front-proxy.key")
    make_cgroups
    mkdir -p "$dir/node/log" "$dir/node/volumes"
    chmod 711 "$dir" "$dir/node" "$dir/node/volumes"
    fill_in containerd.toml cni.conflist kubelet.yaml kube-proxy.yaml
    mkdir "$dir/node/cni"
    mv "$dir/node/cni.conflist" "$dir/node/cni/"
}

# Copies files of test/kubernetes/node to the cluster's folder with @NAMES@ replaced.
fill_in() {
    local file
    for file in "$@"; do
        sed -e "s|@DIR@|$dir|g" -e "s|@PODS@|$pods|g" -e "s|@DNS@|$dns_address|g" -e "s|@SNAPSHOTTER@|$(snapshotter)|g" \
            "$node_files/$file" >"$dir/node/$file"
    done
}

snapshotter() { # overlays cannot lie on an overlay
    [ "$(stat -f -c %T "$dir")" = overlayfs ] && echo native || echo overlayfs
}

hierarchies() { # of cgroups: one each for version 1, the one of version 2
    if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
        echo /sys/fs/cgroup
    else
        awk '$3 == "cgroup" && $2 ~ "^/sys/fs/cgroup/" {print $2}' /proc/mounts
    fi
}

make_cgroups() {
    local hierarchy file
    for hierarchy in $(hierarchies); do
        mkdir -p "$hierarchy/$cgroup"
        [ "${hierarchy##*/}" = cpuset ] || continue
        for file in cpuset.cpus cpuset.mems; do cat "$hierarchy/$file" >"$hierarchy/$cgroup/$file"; done
    done
}

start_node() {
    local pid init
    write_kubeconfig "$dir/node/kubelet.kubeconfig" "https://$address:$port" node "$kubelet_token"
    start kube-scheduler "$binaries/kube-scheduler" --kubeconfig="$dir/kubeconfig" --leader-elect=false --secure-port=0
    start node "$node_files/enter" "$cgroup" "$(hierarchies | paste -sd' ')" \
        "$node_files/boot" "$dir" "$binaries" "$node_address" "$services"
    for _ in $(seq 100); do
        pid=$(cat "$dir/node.pid")
        init=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null | tr -d ' ')
        [ -z "$init" ] || [ ! -e "$dir/node/waiting" ] || break
        sleep 0.1
    done
    [ -n "$init" ] || fail "the node did not start"
    echo "$init" >"$dir/node.init"
    ip link del "${bridge}n" 2>/dev/null || true # of one whose bridge somebody else took away
    ip link add "${bridge}n" type veth peer name eth0 netns "$init"
    ip link set "${bridge}n" master "$bridge" up
    wait_for "the node's containerd" "$(which ctr)" -a "$dir/node/containerd.sock" version
    load_images "$addons"/{pause,coredns,metrics-server,provisioner}.tar
    apply_addons
    wait_for "the node to be Ready" node_is_ready
}

wait_for() { # WHAT COMMAND...: within half a minute
    local what=$1
    shift
    for _ in $(seq 150); do
        "$@" >/dev/null 2>&1 && return
        process_of node >/dev/null || break
        sleep 0.2
    done
    fail "waited in vain for $what"
}

kubectl() { "$binaries/kubectl" --kubeconfig "$dir/kubeconfig" --cache-dir "$dir/kubectl" "$@"; }

node_is_ready() {
    kubectl get node node -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}' | grep -qx True
}

apply_addons() {
    fill_in dns.yaml metrics.yaml volumes.yaml
    kubectl apply --server-side -f "$dir/node/dns.yaml" -f "$dir/node/metrics.yaml" -f "$dir/node/volumes.yaml" >"$dir/addons.log" 2>&1 ||
        fail "the addons were refused"
}

load_images() {
    local archive
    [ -S "$dir/node/containerd.sock" ] || { echo "no node runs in $dir" >&2; exit 1; }
    for archive in "$@"; do ctr -a "$dir/node/containerd.sock" -n k8s.io images import "$archive" >&2; done
}

# What the end of the node's first process does not take along.
remove_node() {
    local link hierarchy
    for link in $(bridge_of_folder); do
        ip link del "${link}n" 2>/dev/null || true
        ip link del "$link"
    done
    for hierarchy in $(hierarchies); do
        for _ in $(seq 50); do
            [ -d "$hierarchy/$cgroup" ] || break
            find "$hierarchy/$cgroup" -depth -type d -exec rmdir {} \; 2>/dev/null || true
            [ ! -d "$hierarchy/$cgroup" ] || sleep 0.1
        done
        [ ! -d "$hierarchy/$cgroup" ] || { echo "scripts/kubernetes: $hierarchy/$cgroup does not go away" >&2; exit 1; }
    done
}
