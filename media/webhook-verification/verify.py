import hashlib
import hmac
import re


def is_genuine_delivery(body: bytes, signature: "str | None", secret: str) -> bool:
    """Return whether a webhook delivery is genuine.

    Pass the raw body, before any JSON parsing, and the value of the header X-Service-Signature.
    Respond with 401 if it returns False.
    """
    if not secret or signature is None or not re.fullmatch(r"sha256=[0-9a-f]{64}", signature):
        return False
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(signature, expected)
