"""The client of a2a-sdk 0.3 on one binding: v0_3.py <url> <binding> [<token>]."""

import asyncio
import sys
import uuid

import grpc
import httpx
from a2a import types
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from line_protocol import serve
from one_token import interceptors_with
from pydantic_parts import part_from, parts_of, task_of


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
            supported_transports=[self.binding],
            use_client_preference=True,
        )
        return await ClientFactory.connect(self.url, client_config=config, interceptors=self.interceptors)

    async def card(self):
        card = await A2ACardResolver(self.http, self.url).get_agent_card()
        return {'name': card.name, 'skills': [skill.id for skill in card.skills]}

    async def send(self, message):
        async for event in self.unary.send_message(message_of(message), configuration=configuration_of(message)):
            return task_of(event[0])

    async def stream(self, message):
        events = self.streaming.send_message(message_of(message), configuration=configuration_of(message))
        return [event_of(event) async for event in events]

    async def get(self, task_id):
        return task_of(await self.unary.get_task(types.TaskQueryParams(id=task_id)))

    async def cancel(self, task_id):
        return task_of(await self.unary.cancel_task(types.TaskIdParams(id=task_id)))

    async def subscribe(self, task_id):
        return [event_of(event) async for event in self.streaming.resubscribe(types.TaskIdParams(id=task_id))]

    async def setWebhook(self, webhook):
        config = types.PushNotificationConfig(id=webhook['id'], url=webhook['url'])
        set_config = types.TaskPushNotificationConfig(task_id=webhook['taskId'], push_notification_config=config)
        return webhook_of(await self.unary.set_task_callback(set_config))

    async def getWebhook(self, task_id, config_id):
        params = types.GetTaskPushNotificationConfigParams(id=task_id, push_notification_config_id=config_id)
        return webhook_of(await self.unary.get_task_callback(params))


def message_of(message):
    return types.Message(
        message_id=str(uuid.uuid4()),
        role=types.Role.user,
        parts=[part_from(types, part) for part in message['parts']],
        task_id=message.get('taskId'),
        context_id=message.get('contextId'),
        metadata={'skillId': message['skill']} if 'skill' in message else None,
    )


def configuration_of(message):
    return types.MessageSendConfiguration(blocking=message.get('blocking', True))


def event_of(event):
    task, update = event
    if update is None:
        return {'taskId': task.id, 'state': task.status.state.value}
    if isinstance(update, types.TaskStatusUpdateEvent):
        return {'taskId': update.task_id, 'state': update.status.state.value}
    return {'taskId': update.task_id, 'parts': parts_of(update.artifact)}


def webhook_of(config):
    return {'taskId': config.task_id, 'id': config.push_notification_config.id, 'url': config.push_notification_config.url}


async def main():
    driver = Driver(*sys.argv[1:4])
    await driver.connect()
    await serve(driver)


asyncio.run(main())
