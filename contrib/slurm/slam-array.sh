#!/bin/bash
#SBATCH --job-name=slam
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#
# One shard of a batch for each job of an array:
#
#   sbatch --array=1-4 --output=out/%a.log slam-array.sh out --time-limit 60s Loops.set
#   slam batch merge out/shard-*.jsonl                                              when all have ended
#
# The first argument is the folder for the results; the others are those of `slam batch`. SLAM is the program (default:
# `slam` on the PATH). A job that is started again, by the system or by hand with the same command, goes on with the tasks that
# have no result yet. To start only some jobs again, say how many there are: SHARDS=4 sbatch --array=3 ...
set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: sbatch --array=1-N slam-array.sh FOLDER [OPTION...] TASK..." >&2
    exit 1
fi
folder=$1
shift
index=${SLURM_ARRAY_TASK_ID:?this is for the jobs of an array: sbatch --array=1-N}
if [ -z "${SHARDS:-}" ]; then
    if [ "$SLURM_ARRAY_TASK_MIN" != 1 ] || [ "$SLURM_ARRAY_TASK_MAX" != "$SLURM_ARRAY_TASK_COUNT" ]; then
        echo "slam-array.sh: the array is not 1-N: set SHARDS to the number of shards" >&2
        exit 1
    fi
    SHARDS=$SLURM_ARRAY_TASK_COUNT
fi
mkdir -p "$folder"
code=0
"${SLAM:-slam}" batch --shard "$index/$SHARDS" --out "$folder/shard-$index.jsonl" \
    --jobs "${SLURM_CPUS_PER_TASK:-1}" "$@" || code=$?
# Safe, unsafe, unknown and refused input are answers; for the system the job has then done its work.
case $code in
0 | 2 | 5 | 10) ;;
*) exit "$code" ;;
esac
