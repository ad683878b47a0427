"""Drives the official Python client: python python_client.py <auto | legacy | 2026-07-28> <url>.

Prints a line for each cell of cells.mjs: its name, and why it failed.
"""

import asyncio
import json
import sys

from mcp.client.client import Client
from mcp_types import ElicitResult

MODE, URL = sys.argv[1:3]


async def elicit(_context, _params):
    return ElicitResult(action="accept", content={"name": "Ann"})


def text_of(result):
    return "".join(block.text for block in result.content)


async def lists_tools(client):
    names = [tool.name for tool in (await client.list_tools()).tools]
    assert "greet" in names and "parley_task_get" in names, names


async def calls_a_tool(client):
    assert text_of(await client.call_tool("greet", {"name": "Ann"})) == "Hello, Ann!"


async def reads_why(client):
    result = await client.call_tool("greet", {})
    assert result.is_error and text_of(result).startswith("name: "), result


async def sees_progress(client):
    seen = []

    async def note(progress, _total, _message):
        seen.append(progress)

    await client.call_tool("test_tool_with_progress", {}, progress_callback=note)
    assert len(seen) >= 3 and seen == sorted(set(seen)), seen


async def answers_a_question(client):
    result = await client.call_tool("test_input_required_result_elicitation", {})
    assert text_of(result) == "Hello, Ann!", result


async def reads_a_resource(client):
    result = await client.read_resource("test://static-text")
    assert result.contents[0].text.startswith("This is the content"), result


CELLS = {
    "lists tools": lists_tools,
    "calls a tool": calls_a_tool,
    "reads why arguments are wrong": reads_why,
    "sees progress": sees_progress,
    "answers a question": answers_a_question,
    "reads a resource": reads_a_resource,
}


async def main():
    async with Client(f"{URL}/mcp", mode=MODE, elicitation_callback=elicit) as client:
        for name, run in CELLS.items():
            failure = None
            try:
                await run(client)
            except Exception as error:  # pylint: disable=broad-except
                failure = f"{type(error).__name__}: {error}"
            print(json.dumps({"name": name, "failure": failure}), flush=True)


asyncio.run(main())
