#!/usr/bin/env bash
# Tries the job array with a real Slurm on this machine: a controller and two nodes on the loopback device. One node's
# daemon is killed in the middle with all that it runs, and its tasks are submitted again. The merged table must be that
# of one batch, byte for byte.
#
#   apt-get install slurmctld slurmd slurm-client munge python3
#   contrib/cluster/try_slurm.sh target/release/fpsolve 1000 ALGO…      (as root; so many random programs)
#
# Everything is kept in a temporary folder and ended with the script.
set -euo pipefail

fpsolve=$(realpath "$1") number=$2
shift 2
here=$(realpath "$(dirname "$0")")
script=$here/slurm.sh
shards=4
home=$(mktemp -d)
chmod 755 "$home"
export SLURM_CONF=$home/slurm.conf FPSOLVE=$fpsolve
programs=$home/programs
mkdir "$programs"
python3 -B - "$here/../hunt" "$programs" "$number" <<'PYTHON'
import random, sys
sys.path.insert(0, sys.argv[1])
from hunt import Gen, text
for number in range(int(sys.argv[3])):
    program = Gen(random.Random(number)).program(["conc", "param"][number % 2])
    with open(f"{sys.argv[2]}/{number:04}.bp", "w") as file:
        file.write(text(program))
PYTHON
cd "$home"

daemons() { cat "$home"/*.pid 2>/dev/null || true; }
# What runs on a node for this cluster, and what watches over it there.
on_node() {
    local process
    for process in /proc/[0-9]*; do
        { tr '\0' '\n' < "$process/environ" | grep -qx "SLURM_CONF=$SLURM_CONF"; } 2>/dev/null || continue
        if tr '\0' '\n' < "$process/environ" 2>/dev/null | grep -qx "SLURMD_NODENAME=$1" \
            || grep -q "^slurmstepd: \[$2\." "$process/cmdline" 2>/dev/null; then
            echo "${process#/proc/}"
        fi
    done
}
end() {
    for pid in $(daemons); do kill "$pid" 2>/dev/null || true; done
    rm -rf "$home"
}
trap end EXIT

# Munge says who is who.
mkdir -p /run/munge
chown munge:munge /run/munge
[ -e /etc/munge/munge.key ] || { dd if=/dev/urandom of=/etc/munge/munge.key bs=1 count=1024 status=none; }
chown munge:munge /etc/munge/munge.key
chmod 400 /etc/munge/munge.key
if ! munge -n >/dev/null 2>&1; then
    runuser -u munge -- munged
    cp /run/munge/munged.pid "$home"
fi
munge -n | unmunge >/dev/null

mkdir "$home/state" "$home/spool-one" "$home/spool-two" "$home/rows"
cat > "$SLURM_CONF" <<CONF
ClusterName=try
SlurmctldHost=localhost
SlurmctldPort=16817
AuthType=auth/munge
SlurmUser=root
StateSaveLocation=$home/state
SlurmdSpoolDir=$home/spool-%n
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/slurmd-%n.pid
SlurmctldLogFile=$home/slurmctld.log
SlurmdLogFile=$home/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
JobRequeue=1
NodeName=one NodeHostname=localhost NodeAddr=127.0.0.1 Port=16821 CPUs=1
NodeName=two NodeHostname=localhost NodeAddr=127.0.0.1 Port=16822 CPUs=1
PartitionName=all Nodes=one,two Default=YES MaxTime=INFINITE State=UP
CONF

say() { printf '%s\n' "$*"; }
waiting() { # until a condition holds, at most a minute or the time given
    local seconds=${2:-60}
    until eval "$1"; do
        seconds=$((seconds - 1))
        [ "$seconds" -gt 0 ] || { say "waited too long for: $1"; tail -n 20 "$home"/*.log; exit 1; }
        sleep 1
    done
}

slurmctld
slurmd -N one
slurmd -N two
waiting '[ "$(sinfo -h -N -t idle | wc -l)" = 2 ]'
say '$ sinfo -N'
sinfo -N

say "\$ fpsolve batch $* --programs programs --no-times --out whole.csv"
code=0
"$fpsolve" batch "$@" --programs programs --no-times --out whole.csv || code=$?

submit() { # TASKS ALGO…
    local tasks=$1
    shift
    say "\$ sbatch --array=$tasks contrib/cluster/slurm.sh $shards programs rows $* --no-times" >&2
    sbatch --parsable --array="$tasks" --output="$home/task-%a.log" "$script" "$shards" programs rows "$@" --no-times
}
rows() { cat rows/part-*.csv 2>/dev/null | wc -l; }
job=$(submit "1-$shards" "$@")
waiting '[ "$(rows)" -gt 40 ] && [ -n "$(squeue -h -w two -t running -o %K)" ]' 600
say '$ squeue'
squeue -o '%.10i %.9T %.6N'
read -r lost id < <(squeue -h -w two -t running -o '%K %A')
# The daemon, what watches over the task, and what that runs: as if the machine had lost its power.
kill -9 "$(cat slurmd-two.pid)" $(on_node two "$id")
rm slurmd-two.pid
scontrol update nodename=two state=down reason=killed
say "node two is killed in the middle of task $lost, with $(($(wc -l < "rows/part-$lost.csv") - 1)) of its rows written"
say '$ squeue'
squeue -o '%.10i %.9T %.6N %R'
scancel "${job}_$lost"
say "task $lost is cancelled, so that Slurm does not begin it again by itself"
waiting '[ -z "$(squeue -h 2>/dev/null)" ]' 3600
say "the other tasks are done; task $lost has $(($(wc -l < "rows/part-$lost.csv") - 1)) rows"
slurmd -N two
waiting '[ "$(sinfo -h -n two -o %t)" = idle ]'
say '$ sinfo -N'
sinfo -N
again=$(submit "$lost" "$@")
waiting '[ -z "$(squeue -h -j "$again" 2>/dev/null)" ]' 3600

say '$ wc -l rows/part-*.csv'
wc -l rows/part-*.csv
say '$ fpsolve batch --merge rows/part-*.csv --out merged.csv'
code=0
"$fpsolve" batch --merge rows/part-*.csv --out merged.csv || code=$?
say '$ cmp whole.csv merged.csv'
cmp whole.csv merged.csv
say "equal, byte for byte: $(($(wc -l < merged.csv) - 1)) rows"
