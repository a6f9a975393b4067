#!/usr/bin/env python3
"""Writes seeded inputs for ref_rf.py, ref_pairs.py and the product's own benchmark (numpy only).

usage: make_data.py rf DIR [--n 1000] [--p 448] [--informative 20] [--seed 0]
       make_data.py pairs DIR [--na 4000] [--nb 90000] [--k 20] [--scale z|unit] [--seed 0]
       make_data.py ties DIR --kind grid|dup|onehot|heavy|tiny [--scale z|unit] [--seed 0]
'pairs' looks like ICU features: a few latent factors, heavy tails, rounding, mean-imputed values.
'ties' are the cases that break a miner: few distinct values, duplicated rows, only two distinct distances,
heavy tails, seven rows.
--scale unit is for the gower metric: every column clipped at its percentiles 1 and 99, which become 0 and 1. The default
z standardises 'pairs' and leaves 'ties' as they are.
"""
import argparse, json, os
import numpy as np


def put(d, meta, **arrays):
    os.makedirs(d, exist_ok=True)
    json.dump(meta, open(os.path.join(d, "meta.json"), "w"))
    for k, v in arrays.items():
        name, ext = k.rsplit("_", 1)
        v.astype({"f64": "<f8", "u32": "<u4", "u8": np.uint8}[ext]).tofile(os.path.join(d, name + "." + ext))


def unit(X):
    lo, hi = np.percentile(X, [1, 99], axis=0)
    return (np.minimum(np.maximum(X, lo), hi) - lo) / np.where(hi > lo, hi - lo, 1)


def rf(a, r):
    N, p = a.n * 20, a.p
    inf = r.choice(p, a.informative, replace=False)
    X = r.normal(size=(N, p))
    X[:, ::3] = np.exp(X[:, ::3])
    X = np.round(X, 2)
    Z = (X[:, inf] - X[:, inf].mean(0)) / X[:, inf].std(0)
    w = np.linspace(1.2, 0.4, a.informative) * r.choice([-1, 1], a.informative)
    o = np.argsort(-(np.tanh(Z) @ w + r.logistic(size=N) * 0.6))
    h = a.n // 2
    rows = np.r_[r.choice(o[:N // 5], h, replace=False), r.choice(o[N // 5:], h, replace=False)]
    put(a.dir, {"n": 2 * h, "p": p, "informative": sorted(inf.tolist())}, X_f64=X[rows], y_u8=np.r_[np.ones(h), np.zeros(h)])


def pairs(a, r):
    n = a.na + a.nb
    z = r.standard_t(6, size=(n, 6))
    X = z @ (r.normal(size=(6, a.k)) * (r.random((6, a.k)) < 0.5)) + r.normal(size=(n, a.k)) * 0.7
    X[:, ::2] = np.exp(0.5 * X[:, ::2] / X[:, ::2].std(0))
    X = np.round(X, 1)
    for k in range(a.k):
        m = r.random(n) < r.beta(1.2, 2.5) * 0.5
        X[m, k] = X[~m, k].mean()
    X = unit(X) if a.scale == "unit" else (X - X.mean(0)) / X.std(0)
    ids = 30_000_000 + np.sort(r.choice(9_999_999, n, replace=False))
    s = np.zeros(n, bool)
    s[np.argpartition(-(X[:, 0] + X[:, 1] + r.gumbel(size=n)), a.na)[:a.na]] = True
    put(a.dir, {"K": a.k, "nA": a.na, "nB": a.nb}, A_f64=X[s], B_f64=X[~s], idsA_u32=ids[s], idsB_u32=ids[~s])


def ties(a, r):
    f = {"grid": (700, 3000, lambda n: r.integers(0, 3, size=(n, 20))),
         "dup": (400, 2500, lambda n: np.repeat(r.integers(0, 2, size=(n // 10 + 1, 20)), 10, 0)[:n]),
         "onehot": (300, 900, lambda n: np.eye(20)[r.integers(0, 20, n)]),
         "heavy": (1500, 5000, lambda n: np.round(r.standard_t(1.5, size=(n, 20)), 1)),
         "tiny": (7, 30, lambda n: r.normal(size=(n, 20)))}[a.kind]
    A, B = f[2](f[0]), f[2](f[1])
    if a.scale == "unit":
        A, B = np.split(unit(np.concatenate((A, B))), [f[0]])
    put(a.dir, {"K": 20, "nA": f[0], "nB": f[1]}, A_f64=A, B_f64=B,
        idsA_u32=r.permutation(np.arange(f[0])), idsB_u32=r.permutation(np.arange(f[1])) + 1_000_000)


ap = argparse.ArgumentParser()
ap.add_argument("what", choices=["rf", "pairs", "ties"])
ap.add_argument("dir")
ap.add_argument("--n", type=int, default=1000)
ap.add_argument("--p", type=int, default=448)
ap.add_argument("--informative", type=int, default=20)
ap.add_argument("--na", type=int, default=4000)
ap.add_argument("--nb", type=int, default=90000)
ap.add_argument("--k", type=int, default=20)
ap.add_argument("--kind", default="grid")
ap.add_argument("--scale", choices=["z", "unit"], default="z")
ap.add_argument("--seed", type=int, default=0)
a = ap.parse_args()
{"rf": rf, "pairs": pairs, "ties": ties}[a.what](a, np.random.default_rng(a.seed))
