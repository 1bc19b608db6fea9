# SPDX-License-Identifier: Apache-2.0
"""Clusters the condensed distances in a file of doubles with SciPy: a line
"WHAT PROCESSOR_SECONDS SUM" for each linkage, SUM being that of the tree's heights.
    python3 bench/cluster.py FILE
"""
import sys
import time

import numpy as np
from scipy.cluster.hierarchy import linkage

apart = np.fromfile(sys.argv[1])
for method in ("single", "complete", "average", "ward"):
    # cells are 1 - cosine: half the squared distance of rows of length one
    cells = np.sqrt(2 * apart) if method == "ward" else apart
    begin = time.process_time()
    tree = linkage(cells, method)
    print(method, "%.3f" % (time.process_time() - begin), "%.17g" % tree[:, 2].sum())
