"""The simulated service's model files: small, real and the same for the same seed, in a folder beside the database."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inspector.demo.chance import chance


@dataclass(frozen=True, slots=True)
class DemoModel:
    """One model of the simulated service. Its id in the database is its name."""

    name: str
    file_name: str
    format: str
    size_bytes: int
    load_ms: float
    token_ms: float
    """About the time for a token, when it runs."""
    metadata: Mapping[str, object]


def _metadata(family: str, parameters: int, quantization: str, context_length: int, licence: str) -> dict[str, object]:
    return {
        "family": family,
        "parameters": parameters,
        "quantization": quantization,
        "context_length": context_length,
        "licence": licence,
    }


MODELS: Final = (
    DemoModel(
        "llama-3.2-3b-instruct-q4",
        "llama-3.2-3b-instruct-q4_k_m.gguf",
        "gguf",
        1_181_696,
        2_300,
        64,
        _metadata("llama3.2", 3_212_749_888, "Q4_K_M", 131_072, "Llama 3.2 Community"),
    ),
    DemoModel(
        "qwen2.5-7b-instruct-q4",
        "qwen2.5-7b-instruct-q4_k_m.gguf",
        "gguf",
        2_621_440,
        4_200,
        82,
        _metadata("qwen2.5", 7_615_616_512, "Q4_K_M", 32_768, "Apache-2.0"),
    ),
    DemoModel(
        "mistral-7b-instruct-q5",
        "mistral-7b-instruct-v0.3-q5_k_m.gguf",
        "gguf",
        2_998_272,
        4_900,
        86,
        _metadata("mistral", 7_248_023_552, "Q5_K_M", 32_768, "Apache-2.0"),
    ),
    DemoModel(
        "phi-3.5-mini-q8",
        "phi-3.5-mini-instruct-q8_0.gguf",
        "gguf",
        2_202_009,
        3_100,
        70,
        _metadata("phi3", 3_821_079_552, "Q8_0", 131_072, "MIT"),
    ),
    DemoModel(
        "gemma-2-2b-it-q6",
        "gemma-2-2b-it-q6_k.gguf",
        "gguf",
        1_310_720,
        1_900,
        60,
        _metadata("gemma2", 2_614_341_888, "Q6_K", 8_192, "Gemma"),
    ),
    DemoModel(
        "nomic-embed-text-v1.5",
        "nomic-embed-text-v1.5-f16.gguf",
        "gguf",
        274_432,
        350,
        1,
        _metadata("nomic-bert", 136_727_040, "F16", 8_192, "Apache-2.0"),
    ),
    DemoModel(
        "whisper-small-en",
        "ggml-small.en.bin",
        "ggml",
        487_601,
        900,
        40,
        _metadata("whisper", 241_734_912, "F16", 448, "MIT"),
    ),
)
"""All of them; the last is registered and never used, as it happens."""

MODELS_BY_NAME: Final[Mapping[str, DemoModel]] = {model.name: model for model in MODELS}

_MAGIC: Final = {"gguf": struct.pack("<4sIQQ", b"GGUF", 3, 0, 0), "ggml": struct.pack("<I", 0x67676D6C)}


def models_folder(db_path: Path) -> Path:
    """Return the folder of the model files that belong to the demo's database at ``db_path``."""
    return db_path.parent / "models"


def model_content(model: DemoModel, seed: int) -> bytes:
    """Return the content of the model's file: its format's magic, then noise that depends on the name and the seed."""
    magic = _MAGIC[model.format]
    return magic + chance(seed, "model", model.name).randbytes(model.size_bytes - len(magic))


def make_model_files(folder: Path, seed: int) -> None:
    """Make the folder and every model file that is not there yet; what is there stays, whatever happened to it."""
    folder.mkdir(exist_ok=True)
    for model in MODELS:
        path = folder / model.file_name
        if not path.exists():
            # Under another name first: a demo that is stopped half-way leaves no file that is only nearly right.
            unfinished = path.with_name(f"{path.name}.part")
            unfinished.write_bytes(model_content(model, seed))
            unfinished.replace(path)
