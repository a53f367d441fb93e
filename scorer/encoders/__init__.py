"""Sentence encoders and cross-encoders: baselines from models in ONNX files, which run on the CPU."""

from scorer.encoders.encoder import Encoder, EncoderOptions, encoder_run

__all__ = ["Encoder", "EncoderOptions", "encoder_run"]
