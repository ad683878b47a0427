"""The client of a2a-sdk 1.x on one binding: v1.py <url> <binding> [<token>]."""

import asyncio
import sys
import uuid

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import a2a_pb2 as a2a
from google.protobuf.json_format import MessageToDict, ParseDict
from line_protocol import serve
from one_token import interceptors_with


class Driver:
    def __init__(self, url, binding, token=None):
        self.url = url
        self.binding = binding
        self.interceptors = interceptors_with(token)
        self.http = httpx.AsyncClient(timeout=60)

    async def connect(self):
        self.unary = await self._client(streaming=False)
        self.streaming = await self._client(streaming=True)

    async def _client(self, streaming):
        config = ClientConfig(
            streaming=streaming,
            httpx_client=self.http,
            grpc_channel_factory=grpc.aio.insecure_channel,
            supported_protocol_bindings=[self.binding],
            use_client_preference=True,
        )
        return await ClientFactory(config).create_from_url(self.url, interceptors=self.interceptors)

    async def card(self):
        card = await A2ACardResolver(self.http, self.url).get_agent_card()
        return {'name': card.name, 'skills': [skill.id for skill in card.skills]}

    async def send(self, message):
        async for response in self.unary.send_message(request_of(message)):
            return task_of(response.task)

    async def stream(self, message):
        return [event_of(event) async for event in self.streaming.send_message(request_of(message))]

    async def get(self, task_id):
        return task_of(await self.unary.get_task(a2a.GetTaskRequest(id=task_id)))

    async def cancel(self, task_id):
        return task_of(await self.unary.cancel_task(a2a.CancelTaskRequest(id=task_id)))

    async def subscribe(self, task_id):
        request = a2a.SubscribeToTaskRequest(id=task_id)
        return [event_of(event) async for event in self.streaming.subscribe(request)]

    async def list(self, context_id):
        listed = await self.unary.list_tasks(a2a.ListTasksRequest(context_id=context_id))
        return [task.id for task in listed.tasks]

    async def setWebhook(self, webhook):
        config = ParseDict(webhook, a2a.TaskPushNotificationConfig())
        return webhook_of(await self.unary.create_task_push_notification_config(config))

    async def getWebhook(self, task_id, config_id):
        request = a2a.GetTaskPushNotificationConfigRequest(task_id=task_id, id=config_id)
        return webhook_of(await self.unary.get_task_push_notification_config(request))

    async def listWebhooks(self, task_id):
        request = a2a.ListTaskPushNotificationConfigsRequest(task_id=task_id)
        listed = await self.unary.list_task_push_notification_configs(request)
        return [webhook_of(config) for config in listed.configs]

    async def deleteWebhook(self, task_id, config_id):
        request = a2a.DeleteTaskPushNotificationConfigRequest(task_id=task_id, id=config_id)
        await self.unary.delete_task_push_notification_config(request)


def request_of(message):
    parts = [{('filename' if name == 'name' else name): value for name, value in part.items()} for part in message['parts']]
    ids = {name: message[name] for name in ('taskId', 'contextId') if name in message}
    metadata = {'skillId': message['skill']} if 'skill' in message else {}
    sent = {'messageId': str(uuid.uuid4()), 'role': 'ROLE_USER', 'parts': parts, 'metadata': metadata, **ids}
    configuration = {'returnImmediately': not message.get('blocking', True)}
    return ParseDict({'message': sent, 'configuration': configuration}, a2a.SendMessageRequest())


def task_of(task):
    parts = [part_of(part) for artifact in task.artifacts for part in artifact.parts]
    state = a2a.TaskState.Name(task.status.state)
    return {'id': task.id, 'contextId': task.context_id, 'state': state, 'parts': parts}


def event_of(event):
    if event.HasField('task'):
        return {'taskId': event.task.id, 'state': a2a.TaskState.Name(event.task.status.state)}
    if event.HasField('status_update'):
        update = event.status_update
        return {'taskId': update.task_id, 'state': a2a.TaskState.Name(update.status.state)}
    update = event.artifact_update
    return {'taskId': update.task_id, 'parts': [part_of(part) for part in update.artifact.parts]}


def part_of(part):
    members = MessageToDict(part)
    return {('name' if name == 'filename' else name): value for name, value in members.items() if name != 'metadata'}


def webhook_of(config):
    return {'taskId': config.task_id, 'id': config.id, 'url': config.url}


async def main():
    driver = Driver(*sys.argv[1:4])
    await driver.connect()
    await serve(driver)


asyncio.run(main())
