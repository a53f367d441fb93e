"""Runs a model by PyTorch, with which it can be trained, exported and saved."""

import json
import os
from collections.abc import Sequence
from functools import partial
from inspect import signature
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.encoders import Encoder, EncoderOptions
from scorer.encoders.model_folder import WEIGHTS, ModelFolder, read_model_folder
from scorer.encoders.onnx_model import BATCH_TOKENS, Vectors, fill_batch
from scorer.errors import RequestError

if TYPE_CHECKING:
    from tokenizers import Encoding

INSTALL_HINT = "install it with pip install onnxruntime onnxscript torch transformers"
_CONFIGURATION = (".json", ".txt", ".model")
_MODULES = "modules.json"
_CROSS_ENCODER = "ForSequenceClassification"


def load_libraries() -> tuple[Any, Any]:
    """Import torch and transformers, which then use the network for nothing.

    Raises
    ------
    RequestError
        If one of them is not installed.
    """
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        import torch  # noqa: PLC0415  an optional dependency
        import transformers  # noqa: PLC0415  the same
    except ImportError as error:
        raise RequestError(f"training needs the package {error.name}: {INSTALL_HINT}") from None
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return torch, transformers


class TorchModel:
    """A model that gives a vector for each text, or a value for each pair of texts: an `EncoderModel`.

    Parameters
    ----------
    folder : ModelFolder
        A model of transformers with its weights as safetensors. No code of it is run.
    padding_id : int
        The token that fills shorter texts of a batch.
    threads : int
        The number of threads.
    cross : bool
        Whether the model reads pairs. If it was no cross-encoder, it gets a new layer for the value.
    seed : int, default 0
        The seed of a new layer, and of what is random in training.

    Raises
    ------
    RequestError
        If the libraries are not installed, or the model cannot be read.
    """

    batch_tokens = BATCH_TOKENS

    def __init__(
        self, folder: ModelFolder, padding_id: int, threads: int, *, cross: bool, seed: int = 0
    ) -> None:
        torch, transformers = load_libraries()
        torch.use_deterministic_algorithms(True)
        torch.set_num_threads(threads)
        torch.manual_seed(seed)
        self.torch, self.is_cross_encoder = torch, cross
        self._folder, self._padding_id = folder, padding_id
        if folder.has_other_modules and not cross:
            raise RequestError(
                f"{folder.model.parent}: modules.json names a layer after the pooling, which cannot be "
                "trained or exported here; use a model without it"
            )
        rules: dict[str, Any] = {"num_labels": 1, "ignore_mismatched_sizes": True} if cross else {}
        kind = transformers.AutoModelForSequenceClassification if cross else transformers.AutoModel
        try:
            self.module = kind.from_pretrained(
                folder.model.parent,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                dtype=torch.float32,
                **rules,
            )
        except Exception as error:  # the library raises nothing more specific
            raise RequestError(f"{folder.model.parent}: cannot be read as a model: {error}") from None
        self.module.eval()

    @property
    def inputs(self) -> list[str]:
        """The names of what the model reads."""
        known = signature(self.module.forward).parameters
        return [name for name in ("input_ids", "attention_mask", "token_type_ids") if name in known]

    @property
    def description(self) -> str:
        """What the model does, in a few words."""
        if self.is_cross_encoder:
            return "cross-encoder"
        return f"sentence encoder, pooling {' and '.join(self._folder.poolings)}"

    def run(self, encodings: Sequence["Encoding"]) -> Vectors:
        """Compute the vectors of a batch."""
        with self.torch.inference_mode():
            return np.asarray(self.compute(encodings).numpy(), dtype=np.float32)

    def compute(self, encodings: Sequence["Encoding"]) -> Any:
        """Compute the vectors of a batch as a tensor, from which a model can learn.

        Raises
        ------
        RequestError
            If the model fails, as on a text that is longer than it can read.
        """
        arrays = fill_batch(encodings, self._padding_id)
        feed = {name: self.torch.from_numpy(arrays[name]) for name in self.inputs}
        try:
            result = self.module(**feed)[0]
        except Exception as error:  # the library raises nothing more specific
            raise RequestError(f"{self._folder.model}: the model failed: {error}") from None
        if self.is_cross_encoder:
            return result
        mask = self.torch.from_numpy(arrays["attention_mask"])[:, :, None]
        return self.torch.cat([self._pool(result, mask, name) for name in self._folder.poolings], dim=1)

    def _pool(self, vectors: Any, mask: Any, pooling: str) -> Any:
        """Pool as `scorer.encoders.onnx_model.pool` does."""
        if pooling == "cls_token":
            return vectors[:, 0]
        if pooling == "max_tokens":
            return vectors.masked_fill(mask == 0, -np.inf).max(dim=1).values
        counts = mask.sum(dim=1)
        return (vectors * mask).sum(dim=1) / (counts if pooling == "mean_tokens" else counts.sqrt())

    def save(self, target: Path) -> None:
        """Save the model as a folder of transformers, or of sentence-transformers if it was one."""
        copy_configuration(self._folder.model.parent, target, cross=self.is_cross_encoder)
        self.module.save_pretrained(target)


class TrainableEncoder(Encoder):
    """An encoder whose model can learn.

    Parameters
    ----------
    folder : ModelFolder
        The model, as for `TorchModel`.
    options : EncoderOptions
        How it reads texts.
    cross, seed
        As for `TorchModel`.
    """

    def __init__(
        self,
        folder: ModelFolder,
        options: EncoderOptions,
        *,
        cross: bool,
        seed: int = 0,
    ) -> None:
        super().__init__(folder, options, partial(self._make, cross=cross, seed=seed))

    def _make(self, *arguments: Any, **rules: Any) -> TorchModel:
        self.model = TorchModel(*arguments, **rules)
        return self.model


def read_weights(path: str | Path) -> tuple[ModelFolder, bool]:
    """Find the files of a model of transformers, and whether it is a cross-encoder by its configuration.

    Raises
    ------
    RequestError
        As for `read_model_folder`.
    """
    folder = read_model_folder(path, WEIGHTS)
    try:
        config = json.loads((Path(path) / "config.json").read_bytes())
        names = [str(name) for name in config.get("architectures") or ()]
    except (OSError, ValueError, AttributeError) as error:
        raise RequestError(f"{path}: config.json cannot be read: {error}") from None
    return folder, any(name.endswith(_CROSS_ENCODER) for name in names)


def copy_configuration(source: Path, target: Path, *, cross: bool) -> None:
    """Copy the tokenizer and the configuration of a model; a cross-encoder has no modules and no pooling."""
    folders = [source, *(path for path in source.iterdir() if path.is_dir() and path.name[:1].isdigit())]
    for path in (path for folder in folders for path in folder.iterdir()):
        is_weights = path.name.endswith(".index.json")
        if path.suffix not in _CONFIGURATION or is_weights or (cross and path.name == _MODULES):
            continue
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copyfile(path, copy)
