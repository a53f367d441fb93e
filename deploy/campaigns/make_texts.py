"""Makes the invented texts of the example campaigns: news, conversations and phrases of a harbour town.

Run it as `python deploy/campaigns/make_texts.py`. The same seed gives the same files. The tuples are made
from the items with: scorer bws tuples items.tsv --item key --group group --size 3 --factor 2
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from scorer.campaigns.wants import add_wanted

SEED = 37
N_SOURCES, N_PILOT_SOURCES, N_INCIDENTS, N_DIALOGUES_OF_DOMAIN = 400, 40, 24, 10

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


TOWNS = (
    ("Horním", "Dolním", "Starém", "Novém", "Velkém", "Malém", "Bílém", "Černém", "Suchém", "Dlouhém"),
    ("Přístavu", "Mysu", "Ostrově", "Břehu", "Útesu", "Mostě", "Majáku", "Hradě", "Ústí", "Poli"),
)
"""The two words of the name of a town in which an incident happens, after the word v."""


def make_incident(lot: random.Random, name: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return the sentences of a summary, and those of three to five reports, which tell most of it again."""
    town = " ".join(map(lot.choice, TOWNS))
    events = [draw_event(lot) for _ in range(lot.randint(8, 10))]
    summary = dict.fromkeys(f"{event.tell()[:-1]} v {town}." for event in events)
    known = {*summary}
    reports = []
    for letter in "abcde"[: lot.randint(3, 5)]:
        told = [event if lot.random() < 0.7 else change_event(lot, event) for event in events[:-2]]
        texts = [
            f"{event.tell(again=True, reason=lot.random() < 0.5)[:-1]} v {town}."
            for event in (*told, draw_event(lot))
        ]
        texts += lot.sample(AROUND, 2)
        lot.shuffle(texts)
        lot.shuffle(events)
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known |= {*new}
        reports += [[f"{name}{letter}{n:02}", name, letter, text] for n, text in enumerate(new, start=1)]
    genre = events[0].action.genre
    return [[f"{name}s{n:02}", name, genre, text] for n, text in enumerate(summary, start=1)], reports


def make_incidents(n_incidents: int) -> tuple[list[list[str]], list[list[str]]]:
    """Return the sentences of the summaries of incidents, and those of their reports."""
    lot = random.Random(f"{SEED} incidents")  # noqa: S311
    summaries, reports = [], []
    for number in range(1, n_incidents + 1):
        summary, sentences = make_incident(lot, f"i{number:04}")
        summaries += summary
        reports += sentences
    return summaries, reports


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


PHRASES = {
    "news": ("the {} that the town bought last year", "a {} damaged by the storm", "the {} on the front page",
             "the new {} of the harbour office", "the {} that nobody wants to pay for"),
    "travel": ("a {} with a view of the bay", "the {} at the end of the road", "a {} that is open all year",
               "the {} that the guidebook forgot", "a cheap {} near the quay"),
    "forum": ("my first {} and it leaks", "the {} I bought from a stranger", "a {} that works with gloves",
              "looking for a {} that lasts", "the best {} for beginners"),
}  # fmt: skip
"""Phrases of a genre, about each of its things."""
THINGS = {
    "news": {
        "ferry": "ferryboat/liner boat/ship captain/quay island/ticket",
        "lighthouse": "beacon/lighthouses tower/signal lamp/keeper coast/night",
        "crane": "hoist/derrick machine/lift cargo/operator steel/dock",
        "pier": "jetty/wharf platform/bridge anchor/boat sea/stroll",
        "market": "marketplace/bazaar shop/fair seller/fish money/square",
        "warehouse": "depot/storehouse building/barn goods/forklift trade/lorry",
        "breakwater": "seawall/mole dam/wall wave/stone storm/tide",
        "tugboat": "tug/towboat vessel/barge rope/pilot engine/port",
    },
    "travel": {
        "inn": "hotel/guesthouse hostel/pub bed/landlord holiday/road",
        "beach": "shore/seaside coast/dune sand/towel summer/sun",
        "café": "coffeehouse/cafe bar/bakery cup/waiter morning/cake",
        "museum": "gallery/museums exhibition/archive painting/guard history/past",
        "cottage": "cabin/chalet house/hut garden/roof village/quiet",
        "campsite": "campground/camp park/meadow tent/fire hiking/stars",
        "restaurant": "bistro/diner canteen/tavern menu/cook hunger/evening",
        "bus": "coach/omnibus tram/van driver/stop journey/fare",
    },
    "forum": {
        "kayak": "canoe/kayaks boat/raft paddle/helmet river/sport",
        "compass": "compasses/needle map/instrument north/pocket hike/travel",
        "raincoat": "mackintosh/slicker jacket/coat hood/umbrella rain/autumn",
        "lantern": "lamp/light torch/candle flame/battery dark/camping",
        "knife": "blade/dagger scissors/tool handle/sheath kitchen/bread",
        "radio": "receiver/wireless phone/television antenna/station music/voice",
        "rope": "cord/line string/cable knot/mast climbing/sailor",
        "backpack": "rucksack/knapsack bag/suitcase strap/zip school/mountain",
    },
    "idiom": {
        "plain sailing": "easy/effortless simple/smooth wind/course trip/blue",
        "all at sea": "confused/bewildered lost/unsure question/map water/fog",
        "a drop in the ocean": "trifle/pittance little/bit sum/aid water/number",
        "in deep water": "trouble/jam danger/problem rescue/debt wet/fear",
        "the calm before the storm": "lull/hush quiet/pause warning/tension weather/cloud",
        "to rock the boat": "disturb/unsettle complain/argue rule/team wave/noise",
        "a big fish in a small pond": "bigwig/leader boss/star village/fame frog/size",
        "to miss the boat": "late/tardy slow/missed chance/clock harbour/regret",
        "to know the ropes": "experienced/skilled able/trained lesson/job knot/new",
        "between the devil and the deep sea": "dilemma/quandary choice/bind decision/risk hell/shore",
        "to be in the same boat": "together/alike equal/shared crew/fate oar/friend",
        "to run a tight ship": "strict/disciplined orderly/firm manager/rule deck/uniform",
    },
}  # fmt: skip
"""The things of a genre, with the words that someone could write for a wanted rating of 4, 3, 2 and 1."""


def make_phrases() -> Iterable[tuple[str, str, str]]:
    """Yield the genre and the thing of each phrase, and the phrase."""
    for genre, things in THINGS.items():
        for thing in things:
            for phrase in PHRASES.get(genre, ("{}",)):
                yield genre, thing, phrase.format(thing)


CROWD_LEVELS = {
    "phrase2word": dict.fromkeys(THINGS, ("{}", "{}")),
    "sentence2phrase": {
        "news": ("Everyone in town is talking about {}.", "the {} in the news"),
        "travel": ("On the second day of our trip we found {}.", "the {} that we saw"),
        "forum": ("I would like to know what you think: {}.", "a question about the {}"),
        "idiom": ("That is what my aunt means by “{}”.", "or, in other words, {}"),
    },
}
"""What stands around the phrase and around the word of a pair that a crowd rates, by level and genre."""


def make_rated_pairs(lot: random.Random) -> Iterable[tuple[list[str], list[str]]]:
    """Yield 15 pairs of each genre and level, three for each rating, each with what two experts said."""
    phrases = list(make_phrases())
    number = 0
    for rating, level, genre in product((0, 1, 2, 3, 4), CROWD_LEVELS, THINGS):
        before, after = CROWD_LEVELS[level][genre]
        for _genre, thing, phrase in lot.sample([each for each in phrases if each[0] == genre], 3):
            words = THINGS[genre][thing].split()
            if not rating:
                other = lot.choice([name for name in THINGS if name != genre])
                words = lot.choice([*THINGS[other].values()]).split()
            word = lot.choice(words[4 - max(1, rating)].split("/"))
            experts = [min(4, max(0, rating + lot.choice((-0.25, 0, 0, 0.25)))) for _ in range(2)]
            number += 1
            key = f"c{number:03}"
            pair = [key, genre, level, before.format(phrase), after.format(word)]
            yield pair, [key, f"{sum(experts) / 2:g}", level]


def write_table(path: Path, columns: str, rows: Iterable[list[str]]) -> None:
    """Write a table with tabs between its columns."""
    lines = ["\t".join(row) for row in (columns.split(), *rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_incidents(folder: Path, n_incidents: int) -> None:
    """Write the tables of the first round of the Czech campaign."""
    summaries, reports = make_incidents(n_incidents)
    write_table(folder / "summaries.tsv", "key group genre left", summaries)
    write_table(folder / "reports.tsv", "key group report sentence", reports)


def write_phrases(path: Path) -> None:
    """Write the phrases with their wanted ratings."""
    rows = [[f"w{n:03}", genre, text] for n, (genre, _thing, text) in enumerate(make_phrases(), start=1)]
    write_table(path, "key genre left", rows)
    path.write_text(add_wanted(path.read_bytes(), path.name, (1, 2, 3, 4), SEED), encoding="utf-8")


def write_rated_pairs(folder: Path) -> None:
    """Write the pairs that a crowd rates, one genre after the other, and what two experts said about them."""
    lot = random.Random(f"{SEED} crowd")  # noqa: S311
    made = list(make_rated_pairs(lot))
    lot.shuffle(made)
    genres = [[each for each in made if each[0][1] == genre] for genre in THINGS]
    made = [each for row in zip(*genres, strict=True) for each in row]
    write_table(folder / "pairs.tsv", "key genre level left right", [pair for pair, _gold in made])
    write_table(folder / "known-gold.tsv", "unit gold level", [gold for _pair, gold in made])


def write_tables(folder: Path) -> None:
    """Write the tables of all campaigns, in their folders below `folder`."""
    pairs = "key group genre left right left_context right_context"
    for name, prefix, n_sources in (("pilot", "p", N_PILOT_SOURCES), ("pairs", "s", N_SOURCES)):
        lot = random.Random(f"{SEED} {name}")  # noqa: S311  (texts, no secrets)
        write_table(folder / f"czech-news/{name}.tsv", pairs, make_pairs(lot, prefix, n_sources))
    write_incidents(folder / "czech-choose", N_INCIDENTS)
    lot = random.Random(f"{SEED} dialogues")  # noqa: S311
    columns = "key group genre turn1 turn2 turn3 turn4 left right"
    write_table(folder / "giccs/items.tsv", columns, make_dialogues(lot))
    write_phrases(folder / "clss-write/phrases.tsv")
    write_rated_pairs(folder / "clss-crowd")


if __name__ == "__main__":
    write_tables(Path(__file__).parent)
