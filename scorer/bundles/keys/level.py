"""The keys of the table [[level]] and of its splits."""

from scorer.bundles.bundle import SPLITS
from scorer.bundles.keys.task import DELIMITERS, MAX_TITLE
from scorer.bundles.toml_table import LEVEL_SLUG, Key
from scorer.files.items import ITEM_COLUMNS

_SPLIT_MEANINGS = {
    "trial": "The trial items of the level: a few, usually with public gold.",
    "training": "The training items of the level, usually with public gold.",
    "test": "The test items of the level, whose gold is hidden.",
}
_COLUMN_MEANINGS = {
    "left": ("The first text of the pair.", '"sentence_A"'),
    "right": ("The second text of the pair.", '"sentence_B"'),
    "id": ("The id of the item.", '"pair_ID"'),
    "pair": ("Both texts in one quoted field, with a line break between them.", '"Text"'),
    "sense_key": ("The WordNet sense key of a word-to-sense item.", '"sense"'),
    "context": ("The context in which the pair is shown.", '"dialogue"'),
    "group": ("Which items are compared with each other, for choice_accuracy.", '"question"'),
    "genre": ("The genre of the item.", '"source"'),
}
_SPLIT_KEYS = (
    Key(
        "items",
        "The file with the items. They become public when a phase on them opens; trial and training "
        "items without a phase are public at once.",
        '"data/test/phrase2word.tsv"',
        "file",
        required=True,
        advice="name the file with the split's items",
    ),
    Key(
        "gold",
        "The file with the gold standard: one label per line, in the order of the items. If a line "
        "is empty, its item is not scored. If runs are keyed, the file can also be a table with ids.",
        '"gold/test/phrase2word.tsv"',
        "file",
        otherwise="no gold: you add it on the site",
    ),
    Key(
        "public_gold",
        "Whether everyone can download the gold standard. Do not set this key for test items.",
        "true",
        "flag",
        default=False,
    ),
    Key(
        "held_out_genres",
        "Genres that only this split has. The scores on these genres are compared with the scores on "
        "the other genres.",
        '["Scientific"]',
        "texts",
        (),
    ),
    Key(
        "public_items",
        'The file with the ids of the public items, one per line. With feedback = "public-part", '
        "teams see their scores on these items.",
        '"public-ids.txt"',
        "file",
        otherwise="no public part",
    ),
    Key(
        "scored",
        "The number of scored items, if only the first ones are scored and the gold file has no "
        "lines for the others.",
        "250",
        "whole",
        minimum=1,
        otherwise="all",
    ),
)
_COLUMN_KEYS = tuple(
    Key(name, _COLUMN_MEANINGS[name][0], _COLUMN_MEANINGS[name][1], default="")
    for name in (*ITEM_COLUMNS, "genre")
)
LEVEL_KEYS = (
    Key(
        "slug",
        "The short name of the level. The name of a run file contains it.",
        '"phrase2word"',
        required=True,
        slug=LEVEL_SLUG,
    ),
    Key("title", "The title of the level.", '"Phrase to word"', maximum=MAX_TITLE, otherwise="the slug"),
    Key(
        "columns",
        "The columns of the items files. If the files have no header, list what the columns are, in "
        "their order: left, right, id, pair, sense_key, context, group or genre. Any other name means a "
        'column to ignore; a last "..." ignores all further columns. If the files have a header, write a '
        'table such as { id = "pair_ID" }, which says that the column pair_ID has the id.',
        '["left", "right", "id"]',
        "texts or table",
        (),
        keys=_COLUMN_KEYS,
        otherwise="left, right; for three columns left, right, id; for four left, sense_key, right, id",
    ),
    Key(
        "sides",
        "What the two texts of a pair are called on pages.",
        '["phrase", "word"]',
        "texts",
        ("left", "right"),
    ),
    Key(
        "genre",
        'The column of the genre, or "id-prefix": the part of the id before its last hyphen.',
        '"id-prefix"',
        otherwise='"genre" if columns is a table that names it, else "id-prefix"',
    ),
    Key(
        "header",
        "Whether the first line of the items files names the columns. Not needed if columns is a table.",
        "true",
        "flag",
        default=False,
    ),
    Key(
        "delimiter",
        "What separates the columns of the items files. Only comma allows quoted fields.",
        '"comma"',
        default="tab",
        choices=DELIMITERS,
    ),
    Key(
        "metrics",
        "The metrics of this level, if it has its own. The first one is official.",
        '["choice_accuracy"]',
        "texts",
        otherwise="those of [task]",
    ),
    Key("counts", "Whether the level counts in the total.", "false", "flag", default=True),
    Key(
        "senses",
        "The dictionary of the baselines at a word-to-sense level. Each line has a sense, a tab and "
        "its definition.",
        '"senses.tsv"',
        "file",
        otherwise="WordNet 3.0, where it is installed",
    ),
    *(
        Key(
            split,
            _SPLIT_MEANINGS[split],
            kind="table",
            keys=_SPLIT_KEYS,
            otherwise="none; a level needs trial, training or test",
        )
        for split in SPLITS
    ),
)
