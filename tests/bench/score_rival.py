"""What a user would write instead of `scorer score` and `scorer check`, with numpy and scipy.

Run it as `score_rival.py METRIC,... GOLD RUN_FILE` or as `score_rival.py check ITEMS RUN_FILE`.
"""

import sys

import numpy as np

task, first_file, run_file = sys.argv[1:]
run = np.loadtxt(run_file, usecols=0)
if task == "check":
    with open(first_file, encoding="utf-8") as file:  # noqa: PTH123  as short as a script is
        rows = [line.rstrip("\n").split("\t") for line in file]
    ids = {row[2] for row in rows if all(row)}
    assert len(ids) == len(rows) == len(run)
    assert np.isfinite(run).all()
else:
    from scipy import stats

    gold = np.loadtxt(first_file)
    functions = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    for metric in task.split(","):
        print(metric, float(functions[metric](gold, run).statistic), sep="\t")
