"""The `assay` command, one file per group: parse, call one service, print."""
