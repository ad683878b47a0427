"""The delegation to remote agents of CrewAI: crew.py <url> <binding> [<token>]."""

import asyncio
import os
import sys

os.environ['CREWAI_DISABLE_TELEMETRY'] = 'true'
# What it prints for people would stand among the answers.
answers, sys.stdout = sys.stdout, sys.stderr

from crewai.a2a.auth.client_schemes import BearerTokenAuth
from crewai.a2a.config import ClientTransportConfig
from crewai.a2a.utils.agent_card import afetch_agent_card
from crewai.a2a.utils.delegation import aexecute_a2a_delegation
from line_protocol import serve

CARD = '/.well-known/agent-card.json'


class Driver:
    def __init__(self, url, binding, token=None):
        self.endpoint = f'{url}{CARD}'
        self.auth = None if token is None else BearerTokenAuth(token=token)
        self.transport = ClientTransportConfig(preferred=binding, supported=[binding])

    async def card(self):
        card = await afetch_agent_card(self.endpoint, auth=self.auth, use_cache=False)
        return {'name': card.name, 'skills': [skill.id for skill in card.skills]}

    async def turn(self, text, skill=None):
        return (await self.delegated(text, skill_id=skill))['result']

    async def turns(self, texts, skill):
        first, *rest = texts
        done = await self.delegated(first, skill_id=skill)
        states = [done['status'].value]
        for text in rest:
            last = done['history'][-1]
            done = await self.delegated(text, task_id=last.task_id, context_id=last.context_id)
            states.append(done['status'].value)
        return states

    async def delegated(self, text, **more):
        done = await aexecute_a2a_delegation(
            endpoint=self.endpoint, auth=self.auth, timeout=60, task_description=text, transport=self.transport, **more
        )
        if done.get('error') and done['status'].value not in ('input-required',):
            raise RuntimeError(done['error'])
        return done


async def main():
    url, binding, *token = sys.argv[1:4]
    await serve(Driver(url, binding, *token), answers)


asyncio.run(main())
