"""Fine-tunes an encoder by regression on gold values, with early stopping on Pearson's r of other items."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, fsum, inf
from typing import Any

from scorer.baselines.run_file import compared_texts
from scorer.baselines.senses import SenseInventory
from scorer.encoders import Encoder, encoder_run
from scorer.encoders.encoder import ComparedTexts
from scorer.errors import RequestError
from scorer.files.reading import Items
from scorer.metrics import METRICS
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.training.torch_model import TrainableEncoder
from scorer.values import Undefined, value_or_undefined

SCHEMA = "assay.training/1"
_WARM_UP = 0.1
"""The share of the steps in which the learning rate rises; then it falls to 0."""
_MAX_GRADIENT = 1.0


@dataclass(frozen=True, slots=True)
class TuningOptions:
    """How an encoder is fine-tuned.

    Parameters
    ----------
    epochs : int, at least 1
        The maximum number of passes through the training items.
    batch : int, at least 1
        The number of items that are learned at once.
    rate : float, above 0
        The highest learning rate.
    patience : int, at least 1
        The number of epochs without a higher correlation after which training stops.
    """

    epochs: int = 10
    batch: int = 16
    rate: float = 2e-5
    patience: int = 3


@dataclass(frozen=True, slots=True)
class ScoredItems:
    """Items and their gold values, scaled to 0 to 1."""

    items: Items
    gold: Sequence[float]


@dataclass(frozen=True, slots=True)
class Epoch:
    """The mean loss of an epoch, and how well the model then predicts the dev items."""

    number: int
    loss: float
    pearson: float | Undefined
    spearman: float | Undefined

    @property
    def rank(self) -> float:
        """Pearson's r, or less than any if it is undefined."""
        return -inf if isinstance(self.pearson, Undefined) else self.pearson


def fine_tune(
    encoder: TrainableEncoder,
    training: ScoredItems,
    dev: ScoredItems,
    options: TuningOptions,
    seed: int,
    *,
    senses: SenseInventory | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> list[Epoch]:
    """Train an encoder until it predicts the dev items no better; it stays as it was in its best epoch.

    Parameters
    ----------
    encoder : TrainableEncoder
        The encoder, which is changed.
    training, dev : ScoredItems
        The items to learn from, and those that say when to stop.
    options : TuningOptions
    seed : int
        The seed of the order of the items.
    senses : SenseInventory, optional
        The source of glosses for word2sense, as for `scorer.baselines.baseline_run`.
    progress : callable, optional
        A callback. It is called with the number of items that were learned since its last call.

    Returns
    -------
    list of Epoch

    Raises
    ------
    RequestError
        If no training item has a gold value and texts.

    Notes
    -----
    A cross-encoder learns by the cross-entropy of the logistic function of its value and the gold value from
    0 to 1, and a sentence encoder by the squared difference of the cosine and the gold value. The optimizer
    is AdamW; its rate rises in the first tenth of the steps and then falls to 0. If an item has several left
    texts, such as the glosses of a word, it learns from the one with the highest value, as runs do.

    References
    ----------
    Reimers & Gurevych (2019), Sentence-BERT: Sentence embeddings using Siamese BERT-networks (ACL D19-1410),
    section 3. Loshchilov & Hutter (2019), Decoupled weight decay regularization (ICLR 2019).
    """
    model, torch = encoder.model, encoder.model.torch
    texts = compared_texts(training.items, senses)
    rows = [(pair, value) for pair, value in zip(texts, training.gold, strict=True) if pair[0]]
    if not rows:
        raise RequestError("there is nothing to learn from: no training item has a gold value and texts")
    steps = ceil(len(rows) / options.batch) * options.epochs
    optimizer = torch.optim.AdamW(model.module.parameters(), lr=options.rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, _rate_factor(steps))
    order = torch.Generator().manual_seed(seed)
    epochs: list[Epoch] = []
    best: Mapping[str, Any] = {}
    while len(epochs) < options.epochs and not _is_over(epochs, options.patience):
        losses = []
        places = torch.randperm(len(rows), generator=order).tolist()
        for start in range(0, len(rows), options.batch):
            batch = [rows[place] for place in places[start : start + options.batch]]
            losses.append(_step(encoder, batch, optimizer) * len(batch))
            schedule.step()
            progress(len(batch))
        epochs.append(_evaluate(encoder, dev, senses, len(epochs) + 1, fsum(losses) / len(rows)))
        if epochs[-1] is best_epoch(epochs):
            best = {name: value.clone() for name, value in model.module.state_dict().items()}
    model.module.load_state_dict(best)
    return epochs


def best_epoch(epochs: Sequence[Epoch]) -> Epoch:
    """Return the epoch with the highest correlation, the first if there are several."""
    return max(epochs, key=lambda epoch: epoch.rank)


def _is_over(epochs: Sequence[Epoch], patience: int) -> bool:
    return bool(epochs) and epochs[-1].number - best_epoch(epochs).number >= patience


def _rate_factor(steps: int) -> Callable[[int], float]:
    rising = max(1, round(_WARM_UP * steps))
    return lambda step: min((step + 1) / rising, (steps - step) / max(1, steps - rising + 1))


def _step(encoder: TrainableEncoder, batch: Sequence[tuple[ComparedTexts, float]], optimizer: Any) -> float:
    """Learn from a batch, and return its mean loss."""
    model, torch, functional = encoder.model, encoder.model.torch, encoder.model.torch.nn.functional
    comparisons = _keep_best([texts for texts, _ in batch], encoder)
    model.module.train()
    values = torch.cat(list(_values(encoder, comparisons)))
    gold = torch.tensor([value for _, value in batch], dtype=torch.float32)
    compare = functional.binary_cross_entropy_with_logits if model.is_cross_encoder else functional.mse_loss
    loss = compare(values, gold)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.module.parameters(), _MAX_GRADIENT)
    optimizer.step()
    model.module.eval()
    return float(loss.detach())


def _keep_best(batch: Sequence[ComparedTexts], encoder: TrainableEncoder) -> Sequence[ComparedTexts]:
    """Keep the left text of each item that has the highest value; gradients of the others would be 0."""
    if all(len(lefts) == 1 for lefts, _ in batch):
        return batch
    with encoder.model.torch.inference_mode():
        places = [int(values.argmax()) for values in _values(encoder, batch)]
    return [((lefts[place],), right) for (lefts, right), place in zip(batch, places, strict=True)]


def _values(encoder: TrainableEncoder, batch: Sequence[ComparedTexts]) -> Iterator[Any]:
    """Yield the values of each item, one for each of its left texts, as tensors."""
    model = encoder.model
    sizes = [len(lefts) for lefts, _ in batch]
    lefts = [left for lefts, _ in batch for left in lefts]
    if model.is_cross_encoder:
        pairs = zip(lefts, (right for lefts, right in batch for _ in lefts), strict=True)
        yield from model.compute([encoder.encode(pair) for pair in pairs])[:, 0].split(sizes)
        return
    sides = lefts, [right for _, right in batch]  # apart, because padding makes the shorter side as long
    left, right = (model.compute([encoder.encode((text,)) for text in side]) for side in sides)
    for own, other in zip(left.split(sizes), right, strict=True):
        yield model.torch.nn.functional.cosine_similarity(own, other[None], dim=1)


def _evaluate(
    encoder: Encoder, dev: ScoredItems, senses: SenseInventory | None, number: int, loss: float
) -> Epoch:
    run = encoder_run(encoder, dev.items, senses=senses, scale=1)
    pred = [float(line.partition("\t")[0]) for line in run.splitlines()]
    r, rho = (value_or_undefined(METRICS[name].function, dev.gold, pred) for name in ("pearson", "spearman"))
    return Epoch(number, loss, r, rho)


def tuning_report(
    epochs_by_seed: Mapping[int, Sequence[Epoch]],
    encoder: Encoder,
    training: ScoredItems,
    dev: ScoredItems,
    options: TuningOptions,
) -> TableReport:
    """Report on the training with each seed.

    Parameters
    ----------
    epochs_by_seed : mapping of int to sequence of Epoch
    encoder, training, dev, options
        As for `fine_tune`.

    Returns
    -------
    TableReport
        The best epoch of each seed, and all epochs.
    """
    sizes = f"n:{len(training.gold)}|dev:{len(dev.gold)}"
    chosen = f"epochs:{options.epochs}|patience:{options.patience}|batch:{options.batch}|rate:{options.rate}"
    head = ["seed", "epoch", "loss", "dev pearson", "dev spearman"]
    rows: list[list[TableCell]] = [
        [seed, epoch.number, epoch.loss, epoch.pearson, epoch.spearman]
        for seed, epochs in epochs_by_seed.items()
        for epoch in epochs
    ]
    best = [row for row in rows if row[1] == best_epoch(epochs_by_seed[int(str(row[0]))]).number]
    return TableReport(
        SCHEMA,
        f"{encoder.description}|{sizes}|{chosen}",
        (
            ReportTable("seeds", "Best epoch of each seed, which made the run", head, best),
            ReportTable("epochs", "All epochs", head, rows),
        ),
    )
