"""What a program may send, by the schema of the body: a test sends each as it stands."""

from collections.abc import Mapping
from typing import Any

EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "AcceptSchema": {"sha256": 64 * "0"},
    "ExportSchema": {"people": "ids"},
    "ExtensionSchema": {"closes": "2027-03-16T12:00:00Z", "reason": "The site was down.", "team": None},
    "JoinSchema": {"token": "the-last-part-of-the-link"},
    "MoveSchema": {"direction": "up"},
    "NewAnnouncement": {"title": "The data is out", "text": "You find it on the *page* of the task."},
    "NewPhase": {
        "slug": "post-evaluation",
        "title": "Post-evaluation",
        "split": "test",
        "opens": "2027-04-01T09:00:00Z",
        "feedback": "hidden",
        "files_per_day": 5,
    },
    "NewRelease": {"note": "The final board.", "anonymous": False, "sure": True},
    "NewRunSchema": {
        "name": "encoder",
        "description": "A cross-encoder.",
        "links": "https://example.org/code",
    },
    "NewTeamSchema": {"name": "rowan"},
    "PhaseChange": {"closes": "2027-03-15T12:00:00Z", "grace_hours": 72, "reminders": [72, 24]},
    "PublicItemsSchema": {"percent": 30, "seed": "7"},
    "ReasonSchema": {"reason": "Two labels were mistyped."},
    "RoleSchema": {"role": "observer"},
    "RunChangeSchema": {"method": "A cross-encoder, trained on the trial items.", "is_primary": True},
    "TaskChange": {"title": "Cross-level similarity", "licence": "CC BY 4.0"},
    "TeamChange": {"affiliations": "University of the Forest\nInstitute of Rivers"},
}
