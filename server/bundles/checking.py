"""Whether a history can be believed: its references lead somewhere, its files are what their hashes say."""

from server.bundles.checked_releases import CheckedReleases
from server.bundles.checked_runs import CheckedRuns
from server.bundles.checked_task import CheckedTask


class HistoryChecker(CheckedTask, CheckedRuns, CheckedReleases):
    """Looks at every record of a history beside its bundle; what is wrong goes to `problems`."""

    def check(self) -> None:
        """Every reference, every file, every order."""
        self.check_people()
        self.check_terms()
        self.check_gold()
        self.check_teams()
        self.check_runs()
        self.check_run_withdrawals()
        self.check_submissions()
        self.check_withdrawals()
        self.check_flags()
        self.check_refusals()
        self.check_releases()
        self.check_pseudonyms()
        self.check_extensions()
        self.check_announcements()
        self.check_reminders()
