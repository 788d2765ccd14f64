# Extends Schemathesis, so that it can send every request of the OpenAPI document.
import random

import schemathesis

HOCON = "application/hocon"


@schemathesis.serializer(HOCON)
def hocon(_context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


@schemathesis.hook
def filter_case(_context, case):
    """Skips HOCON requests whose body is not text, because HOCON is always text."""
    return case.media_type != HOCON or isinstance(case.body, (str, bytes))


@schemathesis.hook
def before_call(_context, case, _kwargs):
    """Each request comes from a different address, because the service slows down those with many failed logins."""
    case.headers = case.headers or {}
    case.headers["X-Forwarded-For"] = f"10.{random.randrange(256)}.{random.randrange(256)}.{random.randrange(1, 255)}"
