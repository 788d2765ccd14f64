"""Qdrant's HTTP API over the local mode of qdrant-client. Argument: port.

The models of the client, generated from Qdrant's OpenAPI description, read the requests and refuse unknown names.
"""
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError
from qdrant_client import QdrantClient
from qdrant_client.http import models

client = QdrantClient(":memory:")
lock = Lock()
NEW_POINTS = TypeAdapter(models.PointInsertOperations)
SELECTOR = TypeAdapter(models.PointsSelector)


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def answer(method, path, body):
    collection, *rest = path.removeprefix("/collections").strip("/").split("/")
    match method, rest:
        case "GET", [] if collection == "":
            return {"collections": [{"name": one.name} for one in client.get_collections().collections]}
        case "PUT", []:
            wanted = models.CreateCollection.model_validate_json(body)
            return client.create_collection(collection, vectors_config=wanted.vectors)
    if not client.collection_exists(collection):
        raise Refused(404, f"Not found: Collection `{collection}` doesn't exist!")
    match method, rest:
        case "GET", []:
            return client.get_collection(collection).model_dump(mode="json")
        case "PUT", ["points"]:
            given = NEW_POINTS.validate_json(body)
            client.upsert(collection, given.points if isinstance(given, models.PointsList) else given.batch)
            return {"operation_id": 0, "status": "completed"}
        case "POST", ["points", "delete"]:
            client.delete(collection, SELECTOR.validate_json(body))
            return {"operation_id": 0, "status": "completed"}
        case "POST", ["points", "scroll"]:
            wanted = models.ScrollRequest.model_validate_json(body)
            found, following = client.scroll(
                collection, wanted.filter, wanted.limit or 10, with_vectors=wanted.with_vector or False
            )
            points = [point.model_dump(mode="json", exclude_none=True) for point in found]
            return {"points": points, "next_page_offset": following}
    raise Refused(404, f"Not found: {method} {path}")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def serve(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            with lock:
                result = answer(self.command, urlsplit(self.path).path, body)
            self.send(200, {"result": result, "status": "ok", "time": 0.0})
        except Refused as error:
            self.send(error.status, {"status": {"error": str(error)}, "time": 0.0})
        except (ValueError, ValidationError) as error:
            self.send(400, {"status": {"error": str(error)}, "time": 0.0})

    do_GET = do_PUT = do_POST = serve

    def send(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
