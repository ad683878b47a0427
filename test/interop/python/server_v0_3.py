"""The server of a2a-sdk 0.3 with the skills of the cells, on JSON-RPC. Prints its address; ends with its stdin.
An argument is a secret that every call must have."""

import asyncio
import socket
import sys

import httpx
import uvicorn
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore, InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentSkill, SecurityScheme, Task, TaskState, TaskStatus
from guard import KEY_HEADER, Guard

STEP_SECONDS = 0.1
MODES = ['text/plain', 'application/json', 'application/octet-stream']


class Skills(AgentExecutor):
    def __init__(self):
        self.canceled = set()

    async def cancel(self, context, event_queue):
        self.canceled.add(context.task_id)
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()

    async def execute(self, context, event_queue):
        message = context.message
        is_first = context.current_task is None
        if is_first:
            status = TaskStatus(state=TaskState.submitted)
            begun = Task(id=context.task_id, context_id=context.context_id, status=status, history=[message])
            await event_queue.enqueue_event(begun)
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()
        skill = (message.metadata or {}).get('skillId')
        if skill == 'approve_payment' and is_first:
            await updater.requires_input(final=True)
            return
        for _ in range(int(message.parts[0].root.text) * 3 if skill == 'countdown' else 0):
            if context.task_id in self.canceled:
                return
            await asyncio.sleep(STEP_SECONDS)
        await updater.add_artifact(message.parts, artifact_id='result')
        await updater.complete()


# Either of the two is sufficient.
SECURITY = {
    'security_schemes': {
        'bearer': SecurityScheme.model_validate({'type': 'http', 'scheme': 'Bearer'}),
        'key': SecurityScheme.model_validate({'type': 'apiKey', 'in': 'header', 'name': KEY_HEADER}),
    },
    'security': [{'bearer': []}, {'key': []}],
}


def card_at(url, security):
    skills = [
        AgentSkill(id=name, name=name, description=f'The skill {name}.', tags=['interop'])
        for name in ('echo', 'countdown', 'approve_payment')
    ]
    return AgentCard(
        name='Interop',
        description='The official server of Python for 0.3.',
        version='1.0.0',
        url=f'{url}/',
        capabilities=AgentCapabilities(streaming=True, push_notifications=True),
        default_input_modes=MODES,
        default_output_modes=MODES,
        skills=skills,
        **security,
    )


async def main():
    listening = socket.socket()
    listening.bind(('127.0.0.1', 0))
    url = f'http://127.0.0.1:{listening.getsockname()[1]}'
    hooks = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=Skills(),
        task_store=InMemoryTaskStore(),
        push_config_store=hooks,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(), hooks),
    )
    secret = sys.argv[1] if len(sys.argv) > 1 else None
    card = card_at(url, SECURITY if secret else {})
    app = A2AStarletteApplication(agent_card=card, http_handler=handler).build()
    server = uvicorn.Server(uvicorn.Config(Guard(app, secret) if secret else app, log_level='warning'))
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    print(url, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.should_exit = True
    await serving


asyncio.run(main())
