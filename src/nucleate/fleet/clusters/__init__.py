"""Runs trained by a Dask cluster: `cluster` is the executor, `line` the only module that imports Dask."""
