"""A server of the official Python SDK, on PORT."""

import os

from mcp.server import MCPServer

server = MCPServer("theirs")


@server.tool()
def echo(message: str) -> str:
    """Says it again."""
    return message


server.run(transport="streamable-http", host="127.0.0.1", port=int(os.environ["PORT"]))
