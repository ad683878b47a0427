"""A2AAgent of strands-agents: strands_agent.py <url> <binding> [<token>]."""

import asyncio
import sys

import httpx
from a2a.client import ClientConfig
from line_protocol import serve
from strands.agent.a2a_agent import A2AAgent


class Driver:
    def __init__(self, url, token=None):
        headers = {} if token is None else {'authorization': f'Bearer {token}'}
        self.agent = A2AAgent(url, client_config=ClientConfig(httpx_client=httpx.AsyncClient(timeout=60, headers=headers)))

    async def card(self):
        card = await self.agent.get_agent_card()
        return {'name': card.name, 'skills': [skill.id for skill in card.skills]}

    async def turn(self, text, _skill=None):
        result = await self.agent.invoke_async(text)
        return ''.join(block.get('text', '') for block in result.message['content'])


async def main():
    url, _binding, *token = sys.argv[1:4]
    await serve(Driver(url, *token))


asyncio.run(main())
