"""A pytest plugin for the older TCKs (`-p parley_tck_v0_3`): their gRPC client finds the port only behind a scheme, and
the card has `host:port` there, as the gRPC clients of all SDKs want it (A2A-GRPC-05)."""

import tck.config  # These two import each other, and only this order works.
from tck.transport.grpc_client import GRPCClient

create = GRPCClient.__init__


def with_scheme(client, base_url, *rest, **options):
    create(client, base_url if "://" in base_url else f"grpc://{base_url}", *rest, **options)


GRPCClient.__init__ = with_scheme
