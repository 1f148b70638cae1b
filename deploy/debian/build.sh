#!/usr/bin/env bash
# Builds the Debian package of a program that is there already.
#
#   deploy/debian/build.sh BINARY VERSION FOLDER
#
# BINARY runs on this machine: it prints its own manual pages and completions, if it has them. VERSION is Debian's, such as
# 0.1.0-1. Prints the path of the package, which is in FOLDER. Two builds of the same files are equal, byte by byte, if
# SOURCE_DATE_EPOCH is the same; without it, the time of the last commit is used.
#
#   NOTICES=FILE           the licences of the libraries that are compiled in (checks/scripts/sbom.py), for the documentation
#   DEB_COMPRESSION=…      options of dpkg-deb; the default compresses well and slowly
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC

binary=$(realpath "${1:?which binary?}")
version=${2:?which version?}
out=$(realpath "${3:?which folder?}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
if [[ ! -v SOURCE_DATE_EPOCH ]]; then
    SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null) || SOURCE_DATE_EPOCH=$(stat --format=%Y "$binary")
fi
export SOURCE_DATE_EPOCH

readonly MAINTAINER='Dockside maintainers <maintainers@dockside.example>'
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 0755 "$tree"
umask 022
documents=$tree/usr/share/doc/dockside

# The architecture's name in Debian, of the machine that the binary is for.
architecture() {
    case $(readelf --file-header "$binary" | awk -F: '$1 ~ /Machine/ { print $2 }') in
        *X86-64*) echo amd64 ;;
        *AArch64*) echo arm64 ;;
        *) echo "build.sh: $binary is for a machine that has no package" >&2 && return 1 ;;
    esac
}

# What the binary needs of Debian: a static one needs no library, others the C library that has their newest symbol.
dependencies() {
    local needed symbol
    needed=$(readelf --dynamic "$binary" | awk '/NEEDED/ { gsub(/[][]/, "", $NF); print $NF }')
    local -a list=(adduser)
    if [[ $needed == *libc.so.6* ]]; then
        symbol=$(readelf --version-info "$binary" | grep -o 'GLIBC_[0-9.]*' | sort --version-sort --unique | tail -n 1)
        list+=("libc6 (>= ${symbol#GLIBC_})")
    fi
    [[ $needed != *libgcc_s.so.1* ]] || list+=(libgcc-s1)
    local IFS=,
    echo "${list[*]}" | sed 's/,/, /g'
}

# Whether the program has this subcommand.
offers() { "$binary" help "$1" &>/dev/null; }

install_program() {
    install -D --mode=0755 "$binary" "$tree/usr/bin/dockside"
    strip --strip-unneeded --remove-section=.comment --remove-section=.note "$tree/usr/bin/dockside"
    install -D --mode=0644 "$root/deploy/dockside.service" "$tree/lib/systemd/system/dockside.service"
    install -D --mode=0644 "$root/deploy/dockside.toml" "$tree/etc/dockside/dockside.toml"
}

# The program's own manual pages, one for each command (`dockside man FOLDER`), or the short one that is here.
install_manual() {
    local pages=$tree/usr/share/man/man1 said
    mkdir -p "$pages"
    if offers man; then
        # It says where they are, which is not for the caller of this script.
        said=$("$binary" man "$pages" 2>&1) || { echo "$said" >&2 && return 1; }
    else
        cp "$here/dockside.1" "$pages"
    fi
    gzip -9n "$pages"/*.1
}

install_completions() {
    offers completions || return 0
    mkdir -p "$tree"/usr/share/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
    "$binary" completions bash >"$tree/usr/share/bash-completion/completions/dockside"
    "$binary" completions zsh >"$tree/usr/share/zsh/vendor-completions/_dockside"
    "$binary" completions fish >"$tree/usr/share/fish/vendor_completions.d/dockside.fish"
}

install_documents() {
    mkdir -p "$documents/LICENSES"
    cp "$here/copyright" "$root/NOTICE" "$documents"
    cp "$root"/LICENSES/*.txt "$documents/LICENSES"
    gzip -9nc "$root/CHANGELOG.md" >"$documents/changelog.gz"
    gzip -9n >"$documents/changelog.Debian.gz" <<END
dockside ($version) unstable; urgency=medium

  * What changed is in changelog.gz beside this file.

 -- $MAINTAINER  $(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
END
    if [[ -n ${NOTICES-} ]]; then gzip -9nc "$NOTICES" >"$documents/libraries.txt.gz"; fi
    install -D --mode=0644 "$here/lintian-overrides" "$tree/usr/share/lintian/overrides/dockside"
}

write_control() {
    local control=$tree/DEBIAN
    mkdir "$control"
    install --mode=0755 "$here"/{postinst,prerm,postrm} "$control"
    echo /etc/dockside/dockside.toml >"$control/conffiles"
    (cd "$tree" && find usr lib -type f -print0 | sort -z | xargs -0 md5sum) >"$control/md5sums"
    cat >"$control/control" <<END
Package: dockside
Version: $version
Architecture: $(architecture)
Maintainer: $MAINTAINER
Installed-Size: $(du --apparent-size -k -s --exclude=DEBIAN "$tree" | cut -f1)
Depends: $(dependencies)
Recommends: ca-certificates
Suggests: caddy, postgresql
Section: net
Priority: optional
Description: self-hosted shipping and fulfilment
 Dockside keeps locations, stock and orders of a shop or a warehouse, allocates
 stock without overselling it, buys labels from carriers exactly once, prints
 them, and has a web console and an HTTP API for all of that.
 .
 It is one program with SQLite in it; PostgreSQL serves several nodes.
END
}

install_program
install_manual
install_completions
install_documents
find "$tree" -type f ! -perm 0755 -exec chmod 0644 {} +
find "$tree" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
write_control
package=$out/dockside_${version}_$(architecture).deb
# shellcheck disable=SC2086
dpkg-deb --root-owner-group ${DEB_COMPRESSION--Zxz} --build "$tree" "$package" >/dev/null
echo "$package"
