#!/usr/bin/env bash
# Builds everything that a release consists of into one folder, and tries it.
#
#   checks/scripts/release.sh FOLDER [--twice]
#   checks/scripts/release.sh FOLDER --program glibc=BINARY --program musl=BINARY
#
# FOLDER is empty or does not exist yet. It gets, with VERSION from Cargo.toml:
#
#   dockside-VERSION-x86_64-linux-glibc.tar.xz   the program, for systems with the C library of this machine or a newer one
#   dockside-VERSION-x86_64-linux-musl.tar.xz    the program, static, for every Linux
#   dockside_VERSION-1_amd64.deb                 the Debian package, with the first program
#   dockside-VERSION-amd64.image.tar             the container image, with the second
#   dockside-VERSION.helm.tgz                    the Helm chart
#   dockside-VERSION.deploy.tar.xz               compose.yaml, the unit, the dashboard and the alerts
#   dockside-VERSION.*.cdx.json                  bills of materials (CycloneDX)
#   SHA256SUMS
#
# Then it compares the sums, starts both programs, and has checks/interop/packages install the package and start the image.
# `--twice` builds each program a second time, in a folder of its own, and fails if a byte differs. `--program` takes a program that is
# there already; with one of them alone, only what needs that one is made.
#
# Without it, each program is built with the profile `dist`, the second with Debian's musl-tools and rustup's target for musl.
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC CARGO_TERM_COLOR=never

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=checks/scripts/tools.sh
source "$here/tools.sh"

readonly BYTES_MAX=$((30 * 1024 * 1024))
declare -rA TARGETS=([glibc]=x86_64-unknown-linux-gnu [musl]=x86_64-unknown-linux-musl)
declare -A program=()
is_twice=''
out=''
work=''

say() { printf '\n== %s\n' "$*"; }

usage() {
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
    exit "$1"
}

read_arguments() {
    while (($#)); do
        case $1 in
            -h | --help) usage 0 ;;
            --twice) is_twice=1 ;;
            --program)
                [[ ${2-} == @(glibc|musl)=* && -x ${2#*=} ]] || die '--program glibc=BINARY or musl=BINARY'
                program[${2%%=*}]=$(realpath "${2#*=}")
                shift
                ;;
            -*) usage 1 ;;
            *) out=$1 ;;
        esac
        shift
    done
    [[ -n $out ]] || usage 1
    mkdir -p "$out"
    out=$(realpath "$out")
    [[ -z $(ls -A "$out") ]] || die "$out is not empty"
}

# What makes two builds equal: no path of this machine in the program, in what Rust and what the C compiler writes.
build() {
    local kind=$1 target=${TARGETS[$1]} folder=$2
    local cargo_home=${CARGO_HOME:-$HOME/.cargo}
    local c_flags="-ffile-prefix-map=$root=/dockside -ffile-prefix-map=$cargo_home=/cargo -ffile-prefix-map=$folder=/target"
    rustup target list --installed 2>/dev/null | grep -qx "$target" || quietly rustup target add "$target"
    (
        cd "$root"
        export CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$folder
        export RUSTFLAGS="--remap-path-prefix=$root=/dockside --remap-path-prefix=$cargo_home=/cargo --remap-path-prefix=$folder=/target"
        if [[ $kind == musl ]]; then export CC_x86_64_unknown_linux_musl=musl-gcc CFLAGS_x86_64_unknown_linux_musl=$c_flags; fi
        export CFLAGS=$c_flags
        cargo build --profile dist --locked --target "$target" --package dockside --bin dockside
    )
    program[$kind]=$folder/$target/dist/dockside
}

build_programs() {
    local kind first
    ((${#program[@]} == 0)) || return 0
    command -v musl-gcc >/dev/null || { echo 'installing musl-tools' && quietly apt_get install --yes --no-install-recommends musl-tools; }
    for kind in glibc musl; do
        say "the program for $kind"
        build "$kind" "$work/target"
        [[ -n $is_twice ]] || continue
        first=${program[$kind]}
        # The folder must not make a difference, so it has another name.
        build "$kind" "$work/another-target"
        cmp "$first" "${program[$kind]}" || die "two builds for $kind differ"
        echo "two builds for $kind are equal"
        program[$kind]=$first
    done
}

# Packs the folder $2 below $1 into the archive $3, the same for the same commit.
pack() {
    tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar \
        --directory "$1" --file - "$2" | case $3 in
            *.tgz) gzip -9n ;;
            *) xz -6 ;;
        esac >"$3"
}

make_archives() {
    local kind name size
    for kind in "${!program[@]}"; do
        name=dockside-$version-x86_64-linux-$kind
        mkdir "$work/$name"
        # A program that is given may have its symbols yet.
        strip --strip-all -o "$work/$name/dockside" "${program[$kind]}"
        size=$(stat --format=%s "$work/$name/dockside")
        echo "$kind: $((size / 1024 / 1024)) MiB"
        ((size <= BYTES_MAX)) || die "the program for $kind has $size bytes, more than $BYTES_MAX"
        python3 "$here/sbom.py" "${TARGETS[$kind]}" "$out/dockside-$version-x86_64-linux-$kind.cdx.json" "$work/$name/LIBRARIES.txt"
        cp -r "$root"/{LICENSE,NOTICE,LICENSES,CHANGELOG.md} "$work/$name"
        pack "$work" "$name" "$out/$name.tar.xz"
    done
    mkdir -p "$work/dockside-$version"
    cp -r "$root"/deploy/{compose.yaml,compose,dockside.service,dockside.toml,grafana,prometheus} "$work/dockside-$version"
    pack "$work" "dockside-$version" "$out/dockside-$version.deploy.tar.xz"
    pack "$root/deploy/helm" dockside "$out/dockside-$version.helm.tgz"
}

make_packages() {
    local folder
    if [[ -v program[glibc] ]]; then
        folder=$work/dockside-$version-x86_64-linux-glibc
        NOTICES=$folder/LIBRARIES.txt "$root/deploy/debian/build.sh" "$folder/dockside" "$version-1" "$out"
    fi
    if [[ -v program[musl] ]]; then
        python3 "$root/deploy/image/build.py" "$work/dockside-$version-x86_64-linux-musl/dockside" "$version" \
            "$out/dockside-$version-amd64.image.tar"
    fi
}

# Starts the program in the archive $1, and asks it whether it is ready.
try_program() {
    local folder port process attempt
    folder=$(mktemp -d "$work/try.XXXXXX")
    tar --extract --xz --strip-components=1 --directory "$folder" --file "$1"
    port=$(free_port)
    "$folder/dockside" serve --data "$folder/data" --listen "$port" >"$folder/log" 2>&1 &
    process=$!
    for attempt in {1..100}; do
        if "$folder/dockside" health --url "http://127.0.0.1:$port" &>/dev/null; then break; fi
        ((attempt < 100)) || { cat "$folder/log" >&2 && die "the program in $1 does not start"; }
        sleep 0.1
    done
    kill -TERM "$process"
    wait "$process" || die "the program in $1 does not end well"
    echo "${1##*/}: starts, is ready, and ends"
}

verify() {
    local archive
    say 'trying it'
    (cd "$out" && sha256sum --check --quiet SHA256SUMS)
    for archive in "$out"/dockside-"$version"-*.tar.xz; do try_program "$archive"; done
    ensure_debian packages curl python postgres
    ensure_package_tools "$root"
    mkdir "$work/checks"
    local -a given=()
    if [[ -v program[glibc] ]]; then given+=("DOCKSIDE_RELEASED_PACKAGE=$out/dockside_$version-1_amd64.deb"); fi
    if [[ -v program[musl] ]]; then given+=("DOCKSIDE_RELEASED_IMAGE=$out/dockside-$version-amd64.image.tar"); fi
    env "${given[@]}" "$root/checks/interop/packages/run.sh" "$(echo "$work"/dockside-"$version"-x86_64-linux-*/dockside | cut -d' ' -f1)" "$work/checks"
}

main() {
    read_arguments "$@"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    chmod 0711 "$work"
    version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")
    SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
    export SOURCE_DATE_EPOCH
    build_programs
    say 'archives and packages'
    make_archives
    make_packages
    (cd "$out" && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
    verify
    say 'made'
    ls -l "$out"
}

main "$@"
