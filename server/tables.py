"""Imports every table of the site, so that the ORM and the migrations know them all."""

from server.accounts import models as accounts
from server.annotation import models as annotation
from server.audit import models as audit
from server.bundles import models as bundles
from server.core.db import Base
from server.gold import models as gold
from server.jobs import models as jobs
from server.levels import models as levels
from server.mail import models as mail
from server.papers import models as papers
from server.phases import models as phases
from server.questions import models as questions
from server.releases import models as releases
from server.runs import models as runs
from server.scoring import models as scoring
from server.signing import models as signing
from server.submissions import models as submissions
from server.tasks import models as tasks
from server.teams import models as teams

MODULES = (
    accounts, annotation, audit, bundles, gold, jobs, levels, mail, papers, phases, questions,
    releases, runs, scoring, signing, submissions, tasks, teams,
)  # fmt: skip
METADATA = Base.metadata
