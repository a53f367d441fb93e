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
        "file",
        "",
        required=True,
        advice="name the file with the split's items",
        meaning="The file with the items. They become public when a phase on them opens; trial and training "
        "items without a phase are public at once.",
        example='"data/test/phrase2word.tsv"',
    ),
    Key(
        "gold",
        "file",
        otherwise="no gold: you add it on the site",
        meaning="The file with the gold standard: one label per line, in the order of the items. If a line "
        "is empty, its item is not scored. If runs are keyed, the file can also be a table with ids.",
        example='"gold/test/phrase2word.tsv"',
    ),
    Key(
        "public_gold",
        "flag",
        default=False,
        meaning="Whether everyone can download the gold standard. Do not set this key for test items.",
        example="true",
    ),
    Key(
        "held_out_genres",
        "texts",
        (),
        meaning="Genres that only this split has. The scores on these genres are compared with the scores on "
        "the other genres.",
        example='["Scientific"]',
    ),
    Key(
        "public_items",
        "file",
        otherwise="no public part",
        meaning='The file with the ids of the public items, one per line. With feedback = "public-part", '
        "teams see their scores on these items.",
        example='"public-ids.txt"',
    ),
    Key(
        "scored",
        "whole",
        minimum=1,
        otherwise="all",
        meaning="The number of scored items, if only the first ones are scored and the gold file has no "
        "lines for the others.",
        example="250",
    ),
)
_COLUMN_KEYS = tuple(
    Key(name, "text", "", meaning=_COLUMN_MEANINGS[name][0], example=_COLUMN_MEANINGS[name][1])
    for name in (*ITEM_COLUMNS, "genre")
)
LEVEL_KEYS = (
    Key(
        "slug",
        "text",
        "",
        required=True,
        slug=LEVEL_SLUG,
        meaning="The short name of the level. The name of a run file contains it.",
        example='"phrase2word"',
    ),
    Key(
        "title",
        "text",
        maximum=MAX_TITLE,
        otherwise="the slug",
        meaning="The title of the level.",
        example='"Phrase to word"',
    ),
    Key(
        "columns",
        "texts or table",
        (),
        keys=_COLUMN_KEYS,
        otherwise="left, right; for three columns left, right, id; for four left, sense_key, right, id",
        meaning="The columns of the items files. If the files have no header, list what the columns are, in "
        "their order: left, right, id, pair, sense_key, context, group or genre. Any other name means a "
        'column to ignore; a last "..." ignores all further columns. If the files have a header, write a '
        'table such as { id = "pair_ID" }, which says that the column pair_ID has the id.',
        example='["left", "right", "id"]',
    ),
    Key(
        "sides",
        "texts",
        ("left", "right"),
        meaning="What the two texts of a pair are called on pages.",
        example='["phrase", "word"]',
    ),
    Key(
        "genre",
        "text",
        otherwise='"genre" if columns is a table that names it, else "id-prefix"',
        meaning='The column of the genre, or "id-prefix": the part of the id before its last hyphen.',
        example='"id-prefix"',
    ),
    Key(
        "header",
        "flag",
        default=False,
        meaning="Whether the first line of the items files names the columns. Not needed if columns is a "
        "table.",
        example="true",
    ),
    Key(
        "delimiter",
        "text",
        "tab",
        choices=DELIMITERS,
        meaning="What separates the columns of the items files. Only comma allows quoted fields.",
        example='"comma"',
    ),
    Key(
        "metrics",
        "texts",
        otherwise="those of [task]",
        meaning="The metrics of this level, if it has its own. The first one is official.",
        example='["choice_accuracy"]',
    ),
    Key(
        "counts",
        "flag",
        default=True,
        meaning="Whether the level counts in the total.",
        example="false",
    ),
    Key(
        "senses",
        "file",
        otherwise="WordNet 3.0, where it is installed",
        meaning="The dictionary of the baselines at a word-to-sense level. Each line has a sense, a tab and "
        "its definition.",
        example='"senses.tsv"',
    ),
    *(
        Key(
            split,
            "table",
            keys=_SPLIT_KEYS,
            otherwise="none; a level needs trial, training or test",
            meaning=_SPLIT_MEANINGS[split],
        )
        for split in SPLITS
    ),
)
