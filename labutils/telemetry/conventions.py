"""Names of attributes under the OpenTelemetry conventions for generative AI, with their status.

Read in the conventions' own repository (open-telemetry/semantic-conventions-genai,
docs/gen-ai/client-inference.md) in November 2026: every ``gen_ai`` name is in status
*development* and may still change; ``error.type`` and ``service.name`` are stable. The constants in
opentelemetry-semantic-conventions 0.66b2 are marked as deprecated since that repository exists, so
the course keeps its own.
"""

OPERATION_NAME = "gen_ai.operation.name"
PROVIDER_NAME = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
REQUEST_MAX_TOKENS = "gen_ai.request.max_tokens"
REQUEST_STREAM = "gen_ai.request.stream"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHE_READ_INPUT_TOKENS = "gen_ai.usage.cache_read.input_tokens"
TIME_TO_FIRST_CHUNK = "gen_ai.response.time_to_first_chunk"  # seconds
FINISH_REASONS = "gen_ai.response.finish_reasons"
ERROR_TYPE = "error.type"
SERVICE_NAME = "service.name"  # of the resource: who sends the spans

# The conventions give single gaps between tokens no attribute: these names are the course's own.
TIME_PER_OUTPUT_TOKEN = "labutils.time_per_output_token"  # seconds, mean after the first token
LONGEST_GAP = "labutils.longest_token_gap"  # seconds

STATUS = {
    OPERATION_NAME: "development",
    PROVIDER_NAME: "development",
    REQUEST_MODEL: "development",
    REQUEST_MAX_TOKENS: "development",
    REQUEST_STREAM: "development",
    INPUT_TOKENS: "development",
    OUTPUT_TOKENS: "development",
    CACHE_READ_INPUT_TOKENS: "development",
    TIME_TO_FIRST_CHUNK: "development",
    FINISH_REASONS: "development",
    ERROR_TYPE: "stable",
    SERVICE_NAME: "stable",
    TIME_PER_OUTPUT_TOKEN: "own",
    LONGEST_GAP: "own",
}
"""As of 2026-11: "stable", "development", or "own" for names outside the conventions."""
