#!/usr/bin/env bash
# Starts systemd in the Debian system in ROOT as a machine of its own: with its own processes, mounts, network and control groups. It
# lives until this is told to end (SIGTERM), and leaves nothing behind.
#
#   checks/interop/packages/machine.sh ROOT
set -euo pipefail

if [[ $1 == --inside ]]; then
    root=$2
    mount --bind "$root" "$root"
    cd "$root"
    mount -t proc proc proc
    mount -t sysfs -o ro sysfs sys
    mount -t cgroup2 cgroup2 sys/fs/cgroup
    mount -t tmpfs -o mode=0755 tmpfs run
    mount -t tmpfs -o mode=1777 tmpfs tmp
    mount -t tmpfs -o mode=0755 tmpfs dev
    mkdir dev/pts dev/shm .outside
    for device in null zero full random urandom tty; do
        touch "dev/$device"
        mount --bind "/dev/$device" "dev/$device"
    done
    mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
    mount -t tmpfs -o mode=1777 tmpfs dev/shm
    ln -s pts/ptmx dev/ptmx
    ln -s /proc/self/fd dev/fd
    pivot_root . .outside
    umount --lazy /.outside
    rmdir /.outside
    exec env -i container=dockside PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=journal
fi

root=$(realpath "$1")
groups=$(mktemp -d)
group=$groups/dockside-machine-$$
child=''

end() {
    local attempt
    trap '' TERM INT
    [[ -z $child ]] || kill -KILL "$child" 2>/dev/null || true
    wait || true
    # A control group can be removed once the kernel has done with the last of its processes.
    for attempt in {1..50}; do
        echo $$ >"$groups/cgroup.procs" || true
        find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
        [[ -d $group ]] || break
        sleep 0.1
    done
    umount "$groups"
    rmdir "$groups"
}

# In a mount namespace of its own, see the call in debian.py: what is mounted here ends with it.
mount --make-rprivate /
mount -t cgroup2 cgroup2 "$groups"
trap end EXIT
trap 'exit 143' TERM INT
mkdir "$group"
echo $$ >"$group/cgroup.procs"
# systemd sees only this control group, as the root of all.
unshare --fork --kill-child --pid --mount --cgroup --uts --ipc --net bash "$0" --inside "$root" </dev/null &
child=$!
wait "$child"
