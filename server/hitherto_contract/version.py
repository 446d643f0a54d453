"""The version of the product and of the protocol that its processes speak."""

VERSION = "0.1.0"
PROTOCOL = 1
PROTOCOL_HEADER = "X-Hitherto-Protocol"
VERSION_HEADER = "X-Hitherto-Version"
