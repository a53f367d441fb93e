"""The small invented task that `assay demo` loads."""
