import { Injectable } from '@nestjs/common';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import { TaskStore } from '../../tasks/store/task.store.js';
import type { Call } from '../call.js';

/** The member of each operation's params that has the task's id. */
const ID_MEMBER: Readonly<Record<OperationName, 'message' | 'id' | 'taskId' | 'none'>> = {
  SendMessage: 'message',
  SendStreamingMessage: 'message',
  GetTask: 'id',
  CancelTask: 'id',
  SubscribeToTask: 'id',
  CreateTaskPushNotificationConfig: 'taskId',
  GetTaskPushNotificationConfig: 'taskId',
  ListTaskPushNotificationConfigs: 'taskId',
  DeleteTaskPushNotificationConfig: 'taskId',
  ListTasks: 'none',
  GetExtendedAgentCard: 'none',
};

/** Resolves tasks for calls of older versions before the operation runs. */
@Injectable()
export class LegacyTasks {
  constructor(private readonly store: TaskStore) {}

  /** The version in which a task of this owner was created, by the client's own name for it or its id (DISP-07). */
  async dialectOf(owner: string, taskId: string): Promise<ProtocolVersion | undefined> {
    const id = await this.serverId(owner, taskId);
    return id === undefined ? undefined : this.store.dialect(owner, id);
  }

  /** The params with the server's task id instead of the client's; a message that creates a task gets none. */
  async withServerId(operation: OperationName, params: unknown, call: Call): Promise<unknown> {
    const clientTaskId = call.legacy?.clientTaskId;
    if (clientTaskId === undefined || typeof params !== 'object') return params;
    const id = await this.serverId(call.owner, clientTaskId);
    const member = ID_MEMBER[operation];
    if (id === undefined || member === 'none') return params;
    if (member !== 'message') return { ...params, [member]: id };
    return { ...params, message: withTaskId(params, id) };
  }

  /** The id of the task to which a client gave this name, if there is one. */
  idOf(owner: string, clientTaskId: string): string {
    return this.store.idOfClientTask(owner, clientTaskId);
  }

  private async serverId(owner: string, taskId: string): Promise<string | undefined> {
    const named = this.store.idOfClientTask(owner, taskId);
    for (const id of [named, taskId]) {
      if ((await this.store.dialect(owner, id)) !== undefined) return id;
    }
    return undefined;
  }
}

/** The message of the params, or any other value, which validation then refuses. */
function withTaskId(params: object | null, taskId: string): unknown {
  const message = params !== null && 'message' in params ? params.message : undefined;
  return typeof message === 'object' ? { ...message, taskId } : message;
}
