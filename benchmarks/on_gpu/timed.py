"""The part of a session that times: starts times.py until all work is done, and keeps what it says."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bundle import NVIDIAS, OURS
from table import WHO, configurations, heading, row
from watching import watch

if TYPE_CHECKING:
    from session import Session

SILENCE, OF_OTHERS = 20, 90  # seconds without a line from the process: with kernels, and with what compiles
PATIENCE = 3  # processes that one peer may crash
MOST_BROKEN = 25


class Timed:
    """One run of all work, without some of those who compute. `report` has the results, and notes of what did
    not work."""

    def __init__(self, session: Session, end: float, without: Sequence[str]):
        self.session = session
        self.end = end
        self.broken: list[str] = []
        self.without = list(without)
        self.report: dict[str, Any] = {"results": [], "notes": []}

    def run(self) -> dict[str, Any]:
        while time.time() < self.end:
            current, why = self.watch()
            if not why:
                break
            if current in self.broken or len(self.broken) > MOST_BROKEN:
                self.note("all", "all", f"the process cannot go on: {current}: {why}")
                break
            self.broken.append(current)
            self.drop()
            title, who, label = [*current.split(" / "), "", ""][:3]
            self.note(title, who, f"{label}: it ended its process ({why})")
            if who == "all" and title != "about":
                self.report["results"].append({"title": title, "seconds": {}})
        for note in self.report["notes"]:
            self.session.say(f"{note['title']}, {note['who']}: {note['text']}")
        self.session.say(configurations(self.report["results"]))
        return self.report

    def drop(self) -> None:
        """Excludes a peer that has crashed several processes, since each new process takes seconds."""
        broke = [name.split(" / ")[1] for name in self.broken]
        for who in WHO[1:]:
            if broke.count(who) == PATIENCE:
                self.without.append(who)
                self.note("all", who, f"left out from here on, since it ended {PATIENCE} processes")

    def watch(self) -> tuple[str, str]:
        """One process, to its end: the candidate it was at, and why it ended if that was too early."""
        command = self.session.command(
            "times", small=self.session.is_dry, only=self.session.only, until=self.end,
            block=self.session.block, skip=self.broken, without=self.without,
            done=[result["title"] for result in self.report["results"]],
        )  # fmt: skip
        start = "about / the process / start"
        ended = watch(command, self.heard, self.silence, self.end, self.session.environment, start)
        if ended.late:
            self.note("all", "all", f"the time was over at: {ended.at}")
        return ended.at, ended.why

    def silence(self, at: str) -> float:
        who = at.split(" / ")[1]
        return self.session.patience(SILENCE if who in (OURS, *NVIDIAS) else OF_OTHERS)

    def heard(self, event: dict[str, Any]) -> None:
        kind = event.pop("event")
        if kind == "about":
            if "device" not in self.report:
                self.report.update(event)
                self.session.say(f"copies: {event['copy'] / 1e9:.0f} GB/s; times are microseconds\n")
                self.session.say(heading())
        elif kind == "note":
            self.note(event["title"], event["who"], event["text"])
        elif kind == "result":
            self.report["results"].append(event)
            self.session.say(row(event, self.report.get("copy", 0.0)))
            self.session.save()

    def note(self, title: str, who: str, text: str) -> None:
        self.report["notes"].append({"title": title, "who": who, "text": text})


def times(session: Session, end: float) -> dict[str, Any]:
    """Without Triton, which compiles for minutes."""
    timed = Timed(session, end, ["triton"])
    session.results["times"] = timed.report  # what there is if the session is stopped
    return timed.run()


def triton(session: Session, end: float) -> dict[str, Any]:
    return Timed(session, end, [who for who in WHO if who not in ("ours", "triton")]).run()
