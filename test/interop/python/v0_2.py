"""The client of a2a-sdk 0.2, which speaks JSON-RPC: v0_2.py <url> <binding> [<token>]."""

import asyncio
import sys
import uuid

import httpx
from a2a import types
from a2a.client import A2ACardResolver, A2AClient
from line_protocol import serve
from one_token import interceptors_with
from pydantic_parts import part_from, parts_of, task_of


class Refused(Exception):
    """This client gives errors as values."""


class Driver:
    def __init__(self, url, token=None):
        self.url = url
        self.interceptors = interceptors_with(token)
        self.http = httpx.AsyncClient(timeout=60)

    async def connect(self):
        card = await A2ACardResolver(self.http, self.url).get_agent_card()
        self.client = A2AClient(self.http, agent_card=card, interceptors=self.interceptors)

    async def card(self):
        card = await A2ACardResolver(self.http, self.url).get_agent_card()
        return {'name': card.name, 'skills': [skill.id for skill in card.skills]}

    async def send(self, message):
        request = types.SendMessageRequest(id=str(uuid.uuid4()), params=params_of(message))
        return task_of(result_of(await self.client.send_message(request)))

    async def stream(self, message):
        request = types.SendStreamingMessageRequest(id=str(uuid.uuid4()), params=params_of(message))
        return [event_of(result_of(event)) async for event in self.client.send_message_streaming(request)]

    async def get(self, task_id):
        request = types.GetTaskRequest(id=str(uuid.uuid4()), params=types.TaskQueryParams(id=task_id))
        return task_of(result_of(await self.client.get_task(request)))

    async def cancel(self, task_id):
        request = types.CancelTaskRequest(id=str(uuid.uuid4()), params=types.TaskIdParams(id=task_id))
        return task_of(result_of(await self.client.cancel_task(request)))

    async def setWebhook(self, webhook):
        config = types.PushNotificationConfig(id=webhook['id'], url=webhook['url'])
        params = types.TaskPushNotificationConfig(task_id=webhook['taskId'], push_notification_config=config)
        request = types.SetTaskPushNotificationConfigRequest(id=str(uuid.uuid4()), params=params)
        return webhook_of(result_of(await self.client.set_task_callback(request)))

    async def getWebhook(self, task_id, config_id):
        params = types.GetTaskPushNotificationConfigParams(id=task_id, push_notification_config_id=config_id)
        request = types.GetTaskPushNotificationConfigRequest(id=str(uuid.uuid4()), params=params)
        return webhook_of(result_of(await self.client.get_task_callback(request)))


def params_of(message):
    sent = types.Message(
        message_id=str(uuid.uuid4()),
        role=types.Role.user,
        parts=[part_from(types, part) for part in message['parts']],
        task_id=message.get('taskId'),
        context_id=message.get('contextId'),
        metadata={'skillId': message['skill']} if 'skill' in message else None,
    )
    configuration = types.MessageSendConfiguration(accepted_output_modes=[], blocking=message.get('blocking', True))
    return types.MessageSendParams(message=sent, configuration=configuration)


def result_of(response):
    if isinstance(response.root, types.JSONRPCErrorResponse):
        raise Refused(response.root.error.model_dump_json())
    return response.root.result


def event_of(event):
    if isinstance(event, types.Task):
        return {'taskId': event.id, 'state': event.status.state.value}
    if isinstance(event, types.TaskStatusUpdateEvent):
        return {'taskId': event.task_id, 'state': event.status.state.value}
    return {'taskId': event.task_id, 'parts': parts_of(event.artifact)}


def webhook_of(config):
    return {'taskId': config.task_id, 'id': config.push_notification_config.id, 'url': config.push_notification_config.url}


async def main():
    driver = Driver(sys.argv[1], *sys.argv[3:4])
    await driver.connect()
    await serve(driver)


asyncio.run(main())
