#!/usr/bin/env bash
# A batch as a job array of Slurm: one shard per task, a file of rows each.
#
#   sbatch --array=1-16 contrib/cluster/slurm.sh 16 drivers rows views:k=2 --timeout 30s
#   fpsolve batch --merge rows/part-*.csv --out results.csv
#
# The arguments are the number of shards, the folder of the programs, the folder for the rows (both seen by all nodes), and
# then those of `fpsolve batch`. A task that was ended goes on where it was when it is submitted again (--array=3 submits
# the third alone); with --requeue Slurm does that itself when a node fails.
#SBATCH --job-name=fpsolve
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

shards=$1 programs=$2 rows=$3
shift 3
mkdir -p "$rows"
# Exit codes 1 and 3 are answers: unsafe, and rows without an answer. Only mistakes and crashes fail the task.
code=0
"${FPSOLVE:-fpsolve}" batch "$@" --programs "$programs" --jobs "${SLURM_CPUS_PER_TASK:-1}" \
    --shard "$SLURM_ARRAY_TASK_ID/$shards" --out "$rows/part-$SLURM_ARRAY_TASK_ID.csv" || code=$?
[ "$code" -le 1 ] || [ "$code" -eq 3 ]
