import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import type { ClassConstructor } from 'class-transformer';
import type { OperationName, ParamsOf } from '@parley/protocol/model/operations.js';
import { CancelTaskOperation } from '../cancel-task.operation.js';
import { ListTasksDto } from '../dto/list-tasks.dto.js';
import { ListPushConfigsDto, PushConfigIdDto } from '../dto/push-config-id.dto.js';
import { PushConfigDto } from '../dto/push-config.dto.js';
import { SendMessageDto } from '../dto/send-message.dto.js';
import { CancelTaskDto, GetTaskDto, TaskIdDto } from '../dto/task.dto.js';
import { TenantDto } from '../dto/tenant.dto.js';
import { GetExtendedAgentCardOperation } from '../get-extended-agent-card.operation.js';
import { GetTaskOperation } from '../get-task.operation.js';
import { ListTasksOperation } from '../list-tasks.operation.js';
import type { Operation } from '../operation.js';
import {
  CreatePushConfigOperation,
  DeletePushConfigOperation,
  GetPushConfigOperation,
  ListPushConfigsOperation,
} from '../push-config.operations.js';
import { SendMessageOperation } from '../send-message.operation.js';
import { SendStreamingMessageOperation } from '../send-streaming-message.operation.js';
import { SubscribeToTaskOperation } from '../subscribe-to-task.operation.js';

/** The DTO class of an operation's params, and the operation itself. */
export interface OperationRow<O extends OperationName> {
  readonly params: ClassConstructor<ParamsOf<O> & object>;
  readonly operation: Operation<O>;
}

/** The operations of the protocol, all of them: a missing row does not compile. Type and injection token. */
export const OperationTable = Symbol('OperationTable');
export type OperationTable = { readonly [O in OperationName]: OperationRow<O> };

/** The classes of the operations, for their module to provide. */
export const OPERATIONS = [
  ...[SendMessageOperation, SendStreamingMessageOperation, GetTaskOperation, ListTasksOperation, CancelTaskOperation],
  ...[SubscribeToTaskOperation, CreatePushConfigOperation, GetPushConfigOperation, ListPushConfigsOperation],
  ...[DeletePushConfigOperation, GetExtendedAgentCardOperation],
] as const;

/** @param modules contains an instance of each of `OPERATIONS` */
export function operationTable(modules: Pick<ModuleRef, 'get'>): OperationTable {
  const row = <O extends OperationName>(
    params: OperationRow<O>['params'],
    operation: Type<Operation<O>>,
  ): OperationRow<O> => ({ params, operation: modules.get(operation) });
  return {
    SendMessage: row(SendMessageDto, SendMessageOperation),
    SendStreamingMessage: row(SendMessageDto, SendStreamingMessageOperation),
    GetTask: row(GetTaskDto, GetTaskOperation),
    ListTasks: row(ListTasksDto, ListTasksOperation),
    CancelTask: row(CancelTaskDto, CancelTaskOperation),
    SubscribeToTask: row(TaskIdDto, SubscribeToTaskOperation),
    CreateTaskPushNotificationConfig: row(PushConfigDto, CreatePushConfigOperation),
    GetTaskPushNotificationConfig: row(PushConfigIdDto, GetPushConfigOperation),
    ListTaskPushNotificationConfigs: row(ListPushConfigsDto, ListPushConfigsOperation),
    DeleteTaskPushNotificationConfig: row(PushConfigIdDto, DeletePushConfigOperation),
    GetExtendedAgentCard: row(TenantDto, GetExtendedAgentCardOperation),
  };
}
