"""Installations that drills on money rent."""

# (what stands there, devices, dollars an hour of one, tokens a second of all while busy)
RENTED = (
    ("Llama-3.1-70B in bf16, split over 4 H100 SXM", 4, (2.0, 4.5), (1500, 5000)),
    ("Qwen3-32B in bf16, split over 2 H100 SXM", 2, (2.0, 4.5), (1500, 4500)),
    ("8 L4, each with its own copy of Llama-3.1-8B", 8, (0.6, 0.9), (1600, 3600)),
    ("Llama-3.1-8B on 2 A100 80 SXM, a copy on each", 2, (1.2, 2.8), (3000, 8000)),
)
