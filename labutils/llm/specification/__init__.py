"""What a model is and what a device is, as tables say it; nothing here takes time.

Read ``spec`` (shapes, parameters, KV bytes; ``weights`` counts them), ``accelerator`` (memory,
bandwidth, arithmetic), then ``catalog`` (those that the course ships, by name). ``from_config``
reads a published ``config.json`` by way of ``config_file``, ``config_windows``, ``config_experts``.
"""
