#!/usr/bin/env bash
# Tries the job array with a real Slurm on this machine: a controller and two nodes on the loopback device. One node's
# daemon is killed in the middle with all that it runs, and its tasks are submitted again. The merged table must be that
# of one batch, byte for byte.
#
#   apt-get install slurmctld slurmd slurm-client munge
#   contrib/cluster/try_slurm.sh target/release/fpsolve PROGRAMS ALGO…      (as root; PROGRAMS is a folder)
#
# Everything is kept in a temporary folder and ended with the script.
set -euo pipefail

fpsolve=$(realpath "$1") programs=$(realpath "$2")
shift 2
script=$(realpath "$(dirname "$0")/slurm.sh")
shards=4
home=$(mktemp -d)
chmod 755 "$home"
export SLURM_CONF=$home/slurm.conf FPSOLVE=$fpsolve

daemons() { cat "$home"/*.pid 2>/dev/null || true; }
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
runuser -u munge -- munged 2>/dev/null || munge -n >/dev/null
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
sinfo -N

say "one batch:"
code=0
"$fpsolve" batch "$@" --programs "$programs" --no-times --out "$home/whole.csv" || code=$?

say "the job array:"
submit() { # TASKS ALGO…
    local tasks=$1
    shift
    sbatch --parsable --array="$tasks" --output="$home/task-%a.log" "$script" "$shards" "$programs" "$home/rows" "$@" --no-times
}
job=$(submit "1-$shards" "$@")
waiting '[ "$(cat "$home"/rows/part-*.csv 2>/dev/null | wc -l)" -gt 20 ]'
squeue
lost=$(squeue -h -w two -t running -o %K)
# The daemon, the steps that it watches, and what they run.
pid=$(cat "$home/slurmd-two.pid")
kill -9 "$pid"
pkill -9 -f "slurmstepd: \[$job" || true
pkill -9 -f -- "--shard $lost/$shards" || true
rm "$home/slurmd-two.pid"
say "killed the daemon of node two in the middle of task $lost, with $(($(wc -l < "$home/rows/part-$lost.csv") - 1)) rows written"
scontrol update nodename=two state=down reason=killed
slurmd -N two
scontrol update nodename=two state=resume || true
waiting '[ -z "$(squeue -h -j "$job" 2>/dev/null)" ]' 3600
submit "$lost" "$@" > "$home/again"
waiting '[ -z "$(squeue -h 2>/dev/null)" ]' 3600

say "the parts:"
wc -l "$home"/rows/part-*.csv | sed "s|$home/||"
code=0
"$fpsolve" batch --merge "$home"/rows/part-*.csv --out "$home/merged.csv" || code=$?
cmp "$home/whole.csv" "$home/merged.csv"
say "equal, byte for byte: $(($(wc -l < "$home/merged.csv") - 1)) rows"
