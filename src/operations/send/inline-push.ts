import { Inject, Injectable, Optional } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { PushConfigs } from '../../webhooks/config/push-configs.js';
import { digestOf } from '../../tasks/task.keys.js';
import type { NewTask } from '../../tasks/record/new-task.js';
import type { NextWebhook } from '../../tasks/store/next-turn.js';
import type { Call } from '../call.js';
import { pushCallerOf } from '../push-caller.js';

/** Path of the webhook in the request, for errors. */
const IN_REQUEST = 'configuration.taskPushNotificationConfig.';

/** The webhook inside a message (A2A-SEND-15, -16). */
@Injectable()
export class InlinePush {
  constructor(@Optional() @Inject(PushConfigs) private readonly configs?: PushConfigs) {}

  /** The stored form of the webhook of a task to be created; undefined when the message has none. */
  async prepare(request: SendMessageRequest, taskId: string, call: Call): Promise<NewTask['push']> {
    const config = request.configuration?.taskPushNotificationConfig;
    if (config === undefined) return undefined;
    const record = await this.declared().prepare(config, inRequest(taskId, call));
    return { id: record.id, record: JSON.stringify(record) };
  }

  /** The stored form of the webhook in a message: it gets all events that follow from the message. */
  async prepareNext(request: SendMessageRequest, taskId: string, call: Call): Promise<{ push?: NextWebhook }> {
    const config = request.configuration?.taskPushNotificationConfig;
    if (config === undefined) return {};
    const configs = this.declared();
    // The same message, sent again after its id expired, must find its webhook instead of adding another one.
    const id = config.id === undefined || config.id === '' ? digestOf(request.message.messageId) : config.id;
    const record = await configs.prepare({ ...config, id }, inRequest(taskId, call));
    return { push: { id, record: JSON.stringify(record), most: configs.maxPerTask } };
  }

  private declared(): PushConfigs {
    if (this.configs !== undefined) return this.configs;
    throw new A2AError('PushNotificationNotSupported', 'Push notifications are not supported');
  }
}

function inRequest(taskId: string, call: Call) {
  return { ...pushCallerOf(taskId, call), owner: call.owner, at: IN_REQUEST };
}
