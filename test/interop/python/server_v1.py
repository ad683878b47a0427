"""The server of a2a-sdk 1.x with the skills of the cells: 1.0 on two bindings, and 0.3. Prints its address; ends with its stdin.
An argument is a secret that every call must have."""

import asyncio
import socket
import sys

import httpx
import uvicorn
from a2a.server.agent_execution.agent_executor import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore, InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Task, TaskState, TaskStatus
from google.protobuf.json_format import ParseDict
from guard import KEY_HEADER, Guard
from starlette.applications import Starlette

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
            status = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
            begun = Task(id=context.task_id, context_id=context.context_id, status=status, history=[message])
            await event_queue.enqueue_event(begun)
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()
        skill = message.metadata['skillId'] if 'skillId' in message.metadata else None
        if skill == 'approve_payment' and is_first:
            await updater.requires_input()
            return
        for _ in range(int(message.parts[0].text) * 3 if skill == 'countdown' else 0):
            if context.task_id in self.canceled:
                return
            await asyncio.sleep(STEP_SECONDS)
        await updater.add_artifact(list(message.parts), artifact_id='result')
        await updater.complete()


# Either of the two is sufficient.
SECURITY = {
    'securitySchemes': {
        'bearer': {'httpAuthSecurityScheme': {'scheme': 'Bearer'}},
        'key': {'apiKeySecurityScheme': {'location': 'header', 'name': KEY_HEADER}},
    },
    'securityRequirements': [{'schemes': {name: {}}} for name in ('bearer', 'key')],
}


def card_at(url):
    skills = [
        AgentSkill(id=name, name=name, description=f'The skill {name}.', tags=['interop'])
        for name in ('echo', 'countdown', 'approve_payment')
    ]
    return AgentCard(
        name='Interop',
        description='The official server of Python.',
        version='1.0.0',
        capabilities=AgentCapabilities(streaming=True, push_notifications=True),
        default_input_modes=MODES,
        default_output_modes=MODES,
        skills=skills,
        supported_interfaces=[
            AgentInterface(url=f'{url}/rpc', protocol_binding='JSONRPC', protocol_version='1.0'),
            AgentInterface(url=f'{url}/rest', protocol_binding='HTTP+JSON', protocol_version='1.0'),
            AgentInterface(url=f'{url}/rpc', protocol_binding='JSONRPC', protocol_version='0.3'),
        ],
    )


async def main():
    listening = socket.socket()
    listening.bind(('127.0.0.1', 0))
    url = f'http://127.0.0.1:{listening.getsockname()[1]}'
    card = card_at(url)
    secret = sys.argv[1] if len(sys.argv) > 1 else None
    if secret:
        ParseDict(SECURITY, card)
    hooks = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=Skills(),
        task_store=InMemoryTaskStore(),
        agent_card=card,
        push_config_store=hooks,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(), hooks),
    )
    routes = [
        *create_agent_card_routes(agent_card=card),
        *create_jsonrpc_routes(request_handler=handler, rpc_url='/rpc', enable_v0_3_compat=True),
        *create_rest_routes(request_handler=handler, path_prefix='/rest'),
    ]
    app = Starlette(routes=routes)
    server = uvicorn.Server(uvicorn.Config(Guard(app, secret) if secret else app, log_level='warning'))
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    print(url, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.should_exit = True
    await serving


asyncio.run(main())
