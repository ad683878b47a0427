"""A2AAgent of agent-framework-a2a: agent_framework_agent.py <url> <binding> [<token>]."""

import asyncio
import sys

import httpx
from a2a.client import A2ACardResolver
from agent_framework import Content, Message
from agent_framework_a2a import A2AAgent, A2AAgentSession
from line_protocol import serve


class Driver:
    def __init__(self, url, binding, token=None):
        headers = {} if token is None else {'authorization': f'Bearer {token}'}
        self.url = url
        self.binding = binding
        self.http = httpx.AsyncClient(timeout=60, headers=headers)

    async def resolved(self):
        return await A2ACardResolver(httpx_client=self.http, base_url=self.url).get_agent_card()

    async def agent(self):
        bindings = [self.binding]
        card = await self.resolved()
        return A2AAgent(agent_card=card, http_client=self.http, supported_protocol_bindings=bindings)

    async def card(self):
        card = await self.resolved()
        return {'name': card.name, 'skills': [skill.id for skill in card.skills]}

    async def stream(self, message):
        agent = await self.agent()
        session = A2AAgentSession()
        said = told(message['parts'][0]['text'], message.get('skill'))
        pieces = [piece async for piece in agent.run(said, stream=True, session=session)]
        states = [{'taskId': session.task_id, 'state': state_of(session)}]
        return [{'taskId': session.task_id, 'parts': [{'text': piece.text}]} for piece in pieces if piece.text] + states

    async def turn(self, text, skill=None):
        return (await (await self.agent()).run(told(text, skill))).text

    async def turns(self, texts, skill):
        agent = await self.agent()
        session = A2AAgentSession()
        first, *rest = texts
        await agent.run(told(first, skill), session=session)
        states = [state_of(session)]
        for text in rest:
            await agent.run(told(text, None), session=session)
            states.append(state_of(session))
        return states


def told(text, skill):
    named = {} if skill is None else {'a2a': {'skillId': skill}}
    return Message('user', [Content.from_text(text)], additional_properties=named)


def state_of(session):
    state = session.task_state
    if isinstance(state, str) or state is None:
        return state
    from a2a.types import TaskState

    return TaskState.Name(state)


async def main():
    url, binding, *token = sys.argv[1:4]
    await serve(Driver(url, binding, *token))


asyncio.run(main())
