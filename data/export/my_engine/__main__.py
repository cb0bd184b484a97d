"""Write on from a text: ``python -m my_engine "A batch that" --tokens 60``."""

import argparse
import sys

from . import Engine, Sampling
from .weights import load


def main() -> None:
    """Serve one prompt, its tokens shown as they come."""
    parser = argparse.ArgumentParser(prog="python -m my_engine", description=__doc__)
    parser.add_argument("prompt", nargs="?", default="A batch that is closed")
    parser.add_argument("--tokens", type=int, default=60, help="of the answer, at most")
    parser.add_argument("--temperature", type=float, default=0.0, help="0: the likeliest token")
    parser.add_argument("--seed", type=int, default=None)
    asked = parser.parse_args()
    model, tokenizer = load()
    engine = Engine(model, tokenizer=tokenizer)

    def show(_id, token: int) -> None:
        print(tokenizer.decode([token]), end="", flush=True)

    print(asked.prompt, end="", flush=True)
    id = engine.add_request(
        asked.prompt,
        max_output_tokens=asked.tokens,
        sampling=Sampling(temperature=asked.temperature, seed=asked.seed),
        stop=tokenizer.special,
        on_token=show,
    )
    engine.run()
    print()
    if engine.requests[id].error is not None:
        sys.exit(f"{engine.requests[id].finish_reason}: {engine.requests[id].error}")


if __name__ == "__main__":
    main()
