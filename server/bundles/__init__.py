"""Bundles: a task as a folder that describes it, imported whole or not at all, and exported without loss."""

from server.bundles.copying import YEAR, add_copy, plan_copy
from server.bundles.exporting import Export, People, collect_export, record_export
from server.bundles.importing import ImportPlan, describe_run, import_task, keep_files, plan_import
from server.bundles.upload_planning import describe_upload, plan_upload

__all__ = [
    "YEAR",
    "Export",
    "ImportPlan",
    "People",
    "add_copy",
    "collect_export",
    "describe_run",
    "describe_upload",
    "import_task",
    "keep_files",
    "plan_copy",
    "plan_import",
    "plan_upload",
    "record_export",
]
