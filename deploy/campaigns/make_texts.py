"""Makes the invented texts of the example campaigns: news and conversations of a harbour town.

Run it as `python deploy/campaigns/make_texts.py`. The same seed gives the same files. The tuples are made
from the items with: scorer bws tuples items.tsv --item key --group group --size 3 --factor 2
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SEED = 37
N_SOURCES, N_PILOT_SOURCES, N_TRAINING_SOURCES, N_DIALOGUES_OF_DOMAIN = 400, 40, 300, 10

ENDINGS = {"m": "", "f": "a", "n": "o"}
"""What the past tense of a Czech verb adds for the gender of its subject."""
SUBJECTS = {
    "port": (("Přístavní správa", "f"), ("Správa přístavu", "f")),
    "office": (("Městský úřad", "m"), ("Radnice", "f")),
    "mayor": (("Starostka", "f"), ("Starostka města", "f")),
    "fishers": (("Rybářský spolek", "m"), ("Spolek rybářů", "m")),
    "museum": (("Místní muzeum", "n"), ("Muzeum v přístavu", "n")),
    "yard": (("Loděnice", "f"), ("Místní loděnice", "f")),
    "ferry": (("Provozovatel přívozu", "m"), ("Převozní společnost", "f")),
    "school": (("Základní škola", "f"), ("Škola v přístavu", "f")),
}
"""Who does something in the Czech news: each in two ways, with the gender."""


@dataclass(frozen=True, slots=True)
class Action:
    """What happens in the Czech news: in two ways, why, and who can do it."""

    genre: str
    first: tuple[str, str]
    second: tuple[str, str]
    reasons: tuple[str, str]
    subjects: str


ACTIONS = (
    Action("město", ("opravil", "starý maják"), ("obnovil", "starý maják"),
           ("po zimních bouřích", "za peníze z veřejné sbírky"), "port office fishers museum"),
    Action("doprava", ("otevřel", "nové molo"), ("zpřístupnil", "nové přístaviště"),
           ("s dvouměsíčním předstihem", "za účasti stovek lidí"), "port office mayor ferry"),
    Action("hospodářství", ("zavřel", "rybí trh"), ("uzavřel", "tržnici s rybami"),
           ("kvůli vysoké vodě", "kvůli opravě střechy"), "port office mayor fishers"),
    Action("hospodářství", ("koupil", "dvě lodě"), ("pořídil", "dvě plavidla"),
           ("za vlastní peníze", "díky příspěvkům obyvatel"), "port office fishers ferry school"),
    Action("doprava", ("ohlásil", "zpoždění trajektu"), ("oznámil", "zdržení trajektu"),
           ("kvůli silnému větru", "kvůli husté mlze"), "port office ferry"),
    Action("kultura", ("zrušil", "letní slavnosti"), ("odvolal", "slavnosti na nábřeží"),
           ("kvůli nedostatku peněz", "kvůli špatnému počasí"), "port office mayor museum school"),
    Action("město", ("zahájil", "úklid pláže"), ("začal", "s úklidem pláže"),
           ("po jarní povodni", "spolu s dobrovolníky"), "port office fishers school"),
    Action("město", ("představil", "plán nové hráze"), ("ukázal", "návrh nové hráze"),
           ("po dlouhém jednání", "na veřejné schůzi"), "port office mayor yard"),
    Action("hospodářství", ("zaplatil", "opravu jeřábu"), ("uhradil", "opravu jeřábu"),
           ("po roce odkladů", "z rezervního fondu"), "port office yard ferry"),
    Action("hospodářství", ("prodal", "sklad u nábřeží"), ("prodal", "skladiště na nábřeží"),
           ("po neúspěšné dražbě", "za nízkou cenu"), "port office fishers yard ferry"),
    Action("doprava", ("zvýšil", "cenu jízdenek"), ("zdražil", "jízdenky"),
           ("kvůli drahému palivu", "poprvé za deset let"), "port office ferry"),
    Action("kultura", ("uspořádal", "výstavu modelů lodí"), ("připravil", "výstavu lodních modelů"),
           ("k výročí přístavu", "za podpory města"), "port office mayor museum yard school"),
)  # fmt: skip
TIMES = (
    *("v pondělí", "v úterý", "ve středu", "ve čtvrtek", "v pátek", "v sobotu", "v neděli", "minulý týden"),
    *("v lednu", "v únoru", "v březnu", "v dubnu", "v květnu", "v červnu", "v září", "v říjnu"),
)
AROUND = (
    "Informovala o tom mluvčí města.",
    "Na místě se sešlo asi padesát lidí.",
    "Podrobnosti přinesou zítřejší noviny.",
    "Podobná věc se stala už před rokem.",
    "Obyvatelé přístavu o tom mluvili celý den.",
    "Zastupitelé se k věci vrátí na příští schůzi.",
    "Rozhodnutí se týká hlavně nábřeží.",
    "Náklady zatím nikdo přesně nespočítal.",
    "Někteří obchodníci s tím nesouhlasí.",
    "Turistů letos přijelo méně než loni.",
    "Moře bylo celý týden neklidné.",
    "Správa slíbila, že obyvatele včas upozorní.",
    "Starší rybáři si podobný rok nepamatují.",
    "Zájem veřejnosti předčil očekávání.",
)
"""Sentences of the context of a Czech sentence."""


@dataclass(frozen=True, slots=True)
class Event:
    """What a Czech sentence says."""

    subject: str
    action: Action
    time: str
    reason: str

    def tell(self, *, again: bool = False, reason: bool = True) -> str:
        """Write the sentence, or in other words and another order if `again`."""
        name, gender = SUBJECTS[self.subject][again]
        verb, thing = self.action.second if again else self.action.first
        why = f" {self.reason}" if reason else ""
        if again:
            time = self.time[0].upper() + self.time[1:]
            return f"{time} {verb}{ENDINGS[gender]} {name[0].lower()}{name[1:]} {thing}{why}."
        return f"{name} {self.time} {verb}{ENDINGS[gender]} {thing}{why}."


def draw_event(lot: random.Random) -> Event:
    """Return an event by lot."""
    action = lot.choice(ACTIONS)
    return Event(lot.choice(action.subjects.split()), action, lot.choice(TIMES), lot.choice(action.reasons))


def change_event(lot: random.Random, event: Event) -> Event:
    """Return an event with the same action by someone else, at another time."""
    others = [name for name in event.action.subjects.split() if name != event.subject]
    time = lot.choice([time for time in TIMES if time != event.time])
    return Event(lot.choice(others), event.action, time, lot.choice(event.action.reasons))


def put_in_context(lot: random.Random, sentence: str) -> str:
    """Put two to four other sentences around the marked sentence."""
    others = lot.sample(AROUND, lot.randint(2, 4))
    place = lot.randint(0, len(others))
    return " ".join([*others[:place], f"<sent>{sentence}</sent>", *others[place:]])


def make_pairs(lot: random.Random, prefix: str, n_sources: int) -> Iterable[list[str]]:
    """Yield three pairs for each source sentence: with a similar, a related and another sentence."""
    sources: set[str] = set()
    while len(sources) < n_sources:
        event = draw_event(lot)
        left = event.tell()
        if left in sources:
            continue
        sources.add(left)
        other = draw_event(lot)
        while other.action is event.action:
            other = draw_event(lot)
        rights = (
            event.tell(again=True, reason=lot.random() < 0.6),
            change_event(lot, event).tell(again=True, reason=lot.random() < 0.5),
            other.tell(again=True),
        )
        group = f"{prefix}{len(sources):03}"
        context = put_in_context(lot, left)
        for letter, right in zip("abc", rights, strict=True):
            yield [
                f"{group}{letter}", group, event.action.genre, left, right, context,
                put_in_context(lot, right),
            ]  # fmt: skip


FIRST_RATINGS = {"A": 5.2, "B": 3.0, "C": 0.7}
"""The mean rating in the first round by the choice: the most similar sentence, one in between, the least."""


def make_choices(lot: random.Random, pairs: Iterable[list[str]]) -> Iterable[list[str]]:
    """Yield pairs with the choice and the rating of one annotator of the first round."""
    for key, _group, _genre, left, right, *_contexts in pairs:
        choice = key[-1].upper()
        rating = min(6, max(0, round(lot.gauss(FIRST_RATINGS[choice], 1.15))))
        yield [key, left, right, choice, str(rating)]


@dataclass(frozen=True, slots=True)
class Domain:
    """A kind of German conversation; {x} is a thing and {t} a time."""

    name: str
    things: tuple[str, ...]
    turns: tuple[str, str, str, str]
    last: str
    others: tuple[str, str, str, str]
    """The same in other words; with another time; with another thing; on the same subject."""


CLOCK = ("um acht Uhr", "um neun Uhr", "um zehn Uhr", "um elf Uhr", "um zwei Uhr", "um drei Uhr")
DAYS = ("am Montag", "am Dienstag", "am Mittwoch", "am Donnerstag", "am Freitag", "am Samstag", "morgen")
DOMAINS = (
    Domain("Fähre", ("Nordinsel", "Altufer", "Sandhafen", "Möwenfeld", "Kaltbach"),
           ("Guten Tag, fährt heute noch eine Fähre nach {x}?", "Ja, die nächste legt {t} ab.",
            "Wie lange dauert die Überfahrt?", "Etwa vierzig Minuten, wenn der Wind nicht zu stark ist."),
           "Dann nehme ich die Fähre {t} nach {x}.",
           ("Gut, ich fahre {t} mit der Fähre nach {x}.", "Dann nehme ich lieber die Fähre {u} nach {x}.",
            "Ich brauche eine Fahrkarte nach {y}.", "Im Hafen liegen heute viele Schiffe.")),
    Domain("Markt", ("Hering", "Makrele", "Scholle", "Dorsch", "Lachs"),
           ("Haben Sie heute frischen Fisch?", "Heute leider nicht, {t} kommt wieder {x}.",
            "Kann ich etwas vorbestellen?", "Gern, sagen Sie mir einfach, wie viel Sie möchten."),
           "Legen Sie mir {t} bitte ein Kilo {x} zurück.",
           ("Bitte heben Sie {t} ein Kilo {x} für mich auf.", "Ich hole das Kilo {x} erst {u} ab.",
            "Ein halbes Kilo {y} würde mir reichen.", "Auf dem Markt ist es am Morgen am schönsten.")),
    Domain("Bibliothek", ("die Seekarte", "den Reiseführer", "das Wörterbuch", "den Atlas", "den Roman"),
           ("Ich suche {x}, finde aber nichts im Regal.", "Das ist gerade ausgeliehen und {t} wieder da.",
            "Können Sie mir Bescheid geben?", "Natürlich, wir rufen Sie dann an."),
           "Gut, dann hole ich {x} {t} ab.",
           ("Ich komme {t} vorbei und nehme {x} mit.", "Dann hole ich {x} vielleicht erst {u} ab.",
            "Ich möchte {y} heute zurückgeben.", "Die Bibliothek hat sehr viele alte Bücher.")),
    Domain("Werkstatt", ("das Segel", "das Ruder", "den Motor", "den Anker", "die Lampe"),
           ("Könnten Sie {x} von meinem Boot reparieren?", "Ja, {t} hätten wir Zeit dafür.",
            "Wird das sehr teuer?", "Das kann ich erst sagen, wenn ich es gesehen habe."),
           "Dann bringe ich Ihnen {x} {t} in die Werkstatt.",
           ("Ich komme {t} mit dem kaputten Teil zu Ihnen: Es geht um {x}.",
            "Ich bringe Ihnen {x} lieber {u}.",
            "Könnten Sie auch {y} prüfen?", "Mein Boot ist schon ziemlich alt.")),
    Domain("Praxis", ("die Untersuchung", "die Impfung", "das Rezept", "die Beratung", "den Verband"),
           ("Guten Morgen, ich brauche einen Termin.", "Worum geht es denn, und passt es Ihnen {t}?",
            "Muss ich dafür etwas mitbringen?", "Nur Ihre Karte und etwas Geduld."),
           "Ich komme {t}, es geht um {x}.",
           ("Es geht um {x}, und {t} passt mir gut.", "Es geht um {x}, aber {u} wäre mir lieber.",
            "Ich wollte außerdem nach etwas anderem fragen: Es geht um {y}.",
            "Im Wartezimmer sitzen schon fünf Leute.")),
    Domain("Hotel", ("das Zimmer am Hafen", "das Zimmer im Turm", "das kleine Zimmer", "das Eckzimmer",
                     "das Zimmer zum Garten"),
           ("Guten Abend, haben Sie noch etwas frei?", "Ja, {x} ist {t} frei.",
            "Gibt es dort auch Frühstück?", "Frühstück gibt es von sieben bis zehn Uhr."),
           "Dann buche ich {x}, ich komme {t} an.",
           ("Ich reise {t} an und möchte {x} reservieren.", "Ich nehme {x}, komme aber erst {u}.",
            "Wie viel kostet {y} für zwei Nächte?", "Vom Hotel aus sieht man das Meer.")),
)  # fmt: skip


def make_dialogues(lot: random.Random) -> Iterable[list[str]]:
    """Yield five candidates for the last turn of each dialogue."""
    for place, domain in enumerate(DOMAINS):
        times = CLOCK if domain.name == "Fähre" else DAYS
        cases = [(thing, time) for thing in domain.things for time in times]
        for number, (thing, time) in enumerate(lot.sample(cases, N_DIALOGUES_OF_DOMAIN), start=1):
            another = lot.choice([other for other in domain.things if other != thing])
            later = lot.choice([other for other in times if other != time])
            words = {"x": thing, "y": another, "t": time, "u": later}
            n_turns = 4 if number % 2 else 2
            turns = [
                f"{'AB'[k % 2]}: {turn.format(**words)}" for k, turn in enumerate(domain.turns[:n_turns])
            ]
            last = f"A: {domain.last.format(**words)}"
            elsewhere = DOMAINS[(place + lot.randint(1, 5)) % len(DOMAINS)].others[3]
            rights = [text.format(**words) for text in (*domain.others, elsewhere)]
            group = f"d{place * N_DIALOGUES_OF_DOMAIN + number:02}"
            for letter, right in zip("abcde", rights, strict=True):
                four = (*turns, *[""] * (4 - n_turns))
                yield [f"{group}{letter}", group, domain.name, *four, last, f"A: {right}"]


def write_table(path: Path, columns: str, rows: Iterable[list[str]]) -> None:
    """Write a table with tabs between its columns."""
    lines = ["\t".join(row) for row in (columns.split(), *rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_tables(folder: Path) -> None:
    """Write the tables of both campaigns, in their folders below `folder`."""
    pairs = "key group genre left right left_context right_context"
    first_round: list[list[str]] = []
    for name, prefix, n_sources in (
        ("pilot", "p", N_PILOT_SOURCES),
        ("pairs", "s", N_SOURCES),
        ("training", "t", N_TRAINING_SOURCES),
    ):
        lot = random.Random(f"{SEED} {name}")  # noqa: S311  (texts, no secrets)
        rows = list(make_pairs(lot, prefix, n_sources))
        if name != "training":
            write_table(folder / f"czech-news/{name}.tsv", pairs, rows)
        if name != "pilot":
            first_round += rows
    lot = random.Random(f"{SEED} choices")  # noqa: S311
    write_table(
        folder / "czech-news/choices.tsv", "id left right choice rating", make_choices(lot, first_round)
    )
    lot = random.Random(f"{SEED} dialogues")  # noqa: S311
    columns = "key group genre turn1 turn2 turn3 turn4 left right"
    write_table(folder / "giccs/items.tsv", columns, make_dialogues(lot))


if __name__ == "__main__":
    write_tables(Path(__file__).parent)
