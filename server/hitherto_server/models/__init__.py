"""The embedding model's files. Nothing here reports to anybody."""

import os

# Both are read when the library is imported. Unasked, onnxruntime gives the machine an id and keeps
# a record of its use in the person's home.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
