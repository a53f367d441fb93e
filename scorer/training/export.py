"""Exports a model of transformers to an ONNX file, which `scorer baseline encoder` reads."""

import logging
import warnings
from pathlib import Path

import numpy as np

from scorer.encoders import Encoder, EncoderOptions
from scorer.errors import RequestError
from scorer.training.torch_model import (
    INSTALL_HINT,
    TorchModel,
    TrainableEncoder,
    copy_configuration,
    read_weights,
)

TOLERANCE = 1e-5
"""The largest difference between the similarities of the two models."""

_SAMPLES = ("harbour", "the old mill", "an old pier left of the harbour, and a boat " * 5)
_MIB = 2**20


def export_onnx(source: str | Path, target: Path) -> str:
    """Write the folder of an ONNX model.

    Parameters
    ----------
    source : str or Path
        The folder of a sentence encoder or a cross-encoder, as sentence-transformers and transformers save
        it, with its weights as safetensors.
    target : Path
        The new folder.

    Returns
    -------
    str
        What was written, and how far the similarities of some texts are apart.

    Raises
    ------
    RequestError
        If a library is not installed, the model cannot be read or exported, or the similarities of the ONNX
        file differ by more than `TOLERANCE`.
    """
    files, cross = read_weights(source)
    trained = TrainableEncoder(files, EncoderOptions(), cross=cross)
    target.mkdir(parents=True, exist_ok=True)
    copy_configuration(files.model.parent, target, cross=cross)
    path = target / "model.onnx"
    _export(trained.model, path)
    exact, exported = _similarities(trained), _similarities(Encoder(target))
    difference = float(np.abs(np.subtract(exact, exported)).max())
    if not difference <= TOLERANCE:
        raise RequestError(f"{path}: the similarities of the exported model differ by {difference:.1g}")
    size = sum(file.stat().st_size for file in target.glob("model.onnx*")) / _MIB
    return (
        f"{path}: {trained.model.description}, {size:.0f} MB; similarities differ by at most {difference:.0e}"
    )


def _export(model: TorchModel, path: Path) -> None:
    torch = model.torch
    ids = torch.ones((2, 7), dtype=torch.int64)
    mask = ids.tril(4)  # with padding, in two texts of different lengths
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": torch.zeros_like(ids)}
    sizes = {0: torch.export.Dim("n"), 1: torch.export.Dim("t")}
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                model.module,
                (),
                path,
                kwargs={name: feed[name] for name in model.inputs},
                input_names=model.inputs,
                output_names=["logits" if model.is_cross_encoder else "last_hidden_state"],
                dynamic_shapes=dict.fromkeys(model.inputs, sizes),
                dynamo=True,
                verbose=False,
            )
    except ImportError as error:
        raise RequestError(f"the export needs the package {error.name}: {INSTALL_HINT}") from None
    except Exception as error:  # the library raises nothing more specific
        raise RequestError(f"{path}: the model cannot be exported: {error}") from None


def _similarities(encoder: Encoder) -> list[float]:
    pairs = [((left,), right) for left in _SAMPLES for right in _SAMPLES]
    measure = encoder.fit(pairs)
    return [float(measure(left, right)) for (left,), right in pairs]
