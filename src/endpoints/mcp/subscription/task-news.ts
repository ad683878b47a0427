import { Injectable } from '@nestjs/common';
import type { Call } from '../../../operations/call.js';
import { OperationExecutor } from '../../../operations/executor/operation-executor.js';
import type { StreamedEvent } from '../../../operations/operation.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { isInterrupted } from '@parley/protocol/model/task-state.js';
import { jsonWith } from '@parley/protocol/json/json-name.js';
import type { ShownCapabilities } from '@parley/protocol/mcp/client-capabilities.js';
import { mcpNotificationText } from '@parley/protocol/mcp/mcp-message.js';
import { META } from '@parley/protocol/mcp/revision.js';
import type { McpRequest } from '../call/mcp-request.js';
import { TaskCalls } from '../call/task-calls.js';
import { TaskMethods } from '../tool/task-methods.js';

/** The part of a subscription's request that is needed while it is open. */
export interface Subscriber extends Pick<McpRequest, 'id' | 'call' | 'reply'> {
  readonly capabilities: ShownCapabilities;
}

/** A feed of one task. */
export type TaskEvents = AsyncIterator<StreamedEvent<'SubscribeToTask'>, void, void>;

/** Reads tasks for subscriptions, and sends their notifications. */
@Injectable()
export class TaskNews {
  constructor(
    private readonly operations: OperationExecutor,
    private readonly tasks: TaskCalls,
    private readonly methods: TaskMethods,
  ) {}

  /** The feed of a task, only with its end if it has ended; undefined for a task that the caller does not own. */
  async feedOf(id: string, call: Call): Promise<TaskEvents | undefined> {
    try {
      return await this.operations.run(await this.operations.permit('SubscribeToTask', { id }, call));
    } catch (error) {
      if (!(error instanceof A2AError)) throw error;
      if (error.kind === 'TaskNotFound') return undefined;
      if (error.kind === 'UnsupportedOperation') return endedFeed();
      throw error;
    }
  }

  /** Sends the present task. */
  async send(id: string, subscriber: Subscriber): Promise<void> {
    await notify(subscriber, 'tasks', this.methods.view(await this.tasks.read(id, subscriber), subscriber));
  }

  /** The id of the message by which a task asks; undefined without a question. */
  async questionOf(id: string, subscriber: Subscriber): Promise<string | undefined> {
    const { status } = await this.tasks.read(id, subscriber);
    return isInterrupted(status.state) ? status.message?.messageId : undefined;
  }
}

/** Sends a notification of a subscription. @param name without `notifications/` */
export async function notify(subscriber: Subscriber, name: string, params: JsonObject): Promise<void> {
  const { reply } = subscriber;
  await reply.send(mcpNotificationText(`notifications/${name}`, ofSubscription(params, subscriber)));
}

/** The text of a message for a subscription: its `_meta` names the subscription. */
export function ofSubscription(params: JsonObject, { id }: Pick<Subscriber, 'id'>): string {
  return jsonWith(params, '_meta', jsonWith({}, META.subscription, id));
}

function endedFeed(): TaskEvents {
  return { next: () => Promise.resolve({ done: true, value: undefined }) };
}
