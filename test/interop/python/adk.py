"""RemoteA2aAgent of google-adk, with a card that it fetches: adk.py <url> <binding> [<token>]."""

import asyncio
import sys
import uuid

import httpx
from google.adk.agents.remote_a2a_agent import RemoteA2aAgent
from google.adk.runners import InMemoryRunner
from google.genai import types
from line_protocol import serve

# It checks each address in the card: the card without gRPC has none that it refuses.
CARD = '/http/.well-known/agent-card.json'
APP = 'interop'


class Driver:
    def __init__(self, url, token=None):
        headers = {} if token is None else {'authorization': f'Bearer {token}'}
        self.http = httpx.AsyncClient(timeout=60, headers=headers)
        self.agent = self.agent_of(url)

    def agent_of(self, url):
        meta = lambda context, message: {'skillId': self.skill}
        card = f'{url}{CARD}'
        return RemoteA2aAgent(name='parley', agent_card=card, httpx_client=self.http, a2a_request_meta_provider=meta)

    async def card(self):
        await self.agent._ensure_resolved()
        card = self.agent._agent_card
        return {'name': card.name, 'skills': [skill.id for skill in card.skills]}

    async def stream(self, message):
        texts = [part['text'] for part in message['parts']]
        return await self.said(await self.session(), texts, message.get('skill'))

    async def turn(self, text, skill=None):
        events = await self.said(await self.session(), [text], skill)
        answers = [part['text'] for event in events for part in event['parts']]
        return answers[-1] if answers else ''

    async def turns(self, texts, skill):
        session = await self.session()
        return [(await self.said(session, [text], skill))[-1]['state'] for text in texts]

    async def session(self):
        self.runner = InMemoryRunner(agent=self.agent, app_name=APP)
        return await self.runner.session_service.create_session(app_name=APP, user_id='user')

    async def said(self, session, texts, skill):
        self.skill = skill
        content = types.Content(role='user', parts=[types.Part(text=text) for text in texts])
        found = []
        async for event in self.runner.run_async(user_id='user', session_id=session.id, new_message=content):
            if event.error_message:
                raise RuntimeError(event.error_message)
            found.append(event_of(event))
        return found


def event_of(event):
    said = event.custom_metadata or {}
    response = said.get('a2a:response') or {}
    status = response.get('status') or (response.get('statusUpdate') or {}).get('status') or {}
    texts = [part.text for part in (event.content.parts if event.content else []) if part.text]
    return {
        'taskId': said.get('a2a:task_id'),
        'state': status.get('state'),
        'parts': [{'text': text} for text in texts],
    }


async def main():
    url, _binding, *token = sys.argv[1:4]
    await serve(Driver(url, *token))


asyncio.run(main())
