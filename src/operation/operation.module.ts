import { type DynamicModule, Module } from '@nestjs/common';
import { AgentCards } from '../agent-card/agent-cards.js';
import { CardOptions } from '../agent-card/card.options.js';
import { AgentCardModule } from '../agent-card/agent-card.module.js';
import { PushModule } from '../push/push.module.js';
import { WorkerModule } from '../run/worker.module.js';
import { AuditModule } from '../security/audit/audit.module.js';
import { AuthModule } from '../security/auth/auth.module.js';
import { LimitModule } from '../security/limit/limit.module.js';
import { TaskModule } from '../task/task.module.js';
import { FeedModule } from '../task/feed/feed.module.js';
import { RunQueueModule } from '../run/queue/run-queue.module.js';
import { PushConfigs } from '../push/config/push-configs.js';
import { CancelTaskOperation } from './cancel-task.operation.js';
import { DirectAnswers } from './send/direct-answers.js';
import { SkillSelector } from './send/skill-selector.js';
import { OperationExecutor } from './operation-executor.js';
import { ListTasksDto } from './dto/list-tasks.dto.js';
import { SendMessageDto } from './dto/send-message.dto.js';
import { CancelTaskDto, GetTaskDto, TaskIdDto } from './dto/task.dto.js';
import { TenantDto } from './dto/tenant.dto.js';
import { GetExtendedAgentCardOperation } from './get-extended-agent-card.operation.js';
import { GetTaskOperation } from './get-task.operation.js';
import { LegacyTasks } from './legacy-tasks.js';
import { InlinePush } from './send/inline-push.js';
import { ListTasksOperation } from './list-tasks.operation.js';
import { LargeMessages } from './send/large-messages.js';
import { MessageIntake } from './send/message-intake.js';
import { RunStarter } from './send/run-starter.js';
import { StorageRoom } from './send/storage-room.js';
import { TaskEntry } from './send/task-entry.js';
import type { Operation } from './operation.js';
import { OperationTable, undeclared } from './operation-table.js';
import { pushConfigOperations } from './push-config.operations.js';
import { SendMessageOperation } from './send-message.operation.js';
import { SendStreamingMessageOperation } from './send-streaming-message.operation.js';
import { SkillScopes } from './skill-scopes.js';
import { SubscribeToTaskOperation } from './subscribe-to-task.operation.js';

const OPERATIONS = [
  SendMessageOperation,
  SendStreamingMessageOperation,
  GetTaskOperation,
  ListTasksOperation,
  CancelTaskOperation,
  SubscribeToTaskOperation,
] as const;

type Instances<T extends readonly (abstract new (...args: never[]) => unknown)[]> = {
  readonly [I in keyof T]: InstanceType<T[I]>;
};

function operationTable(
  ...[send, stream, get, list, cancel, subscribe, card, configs]: [
    ...Instances<typeof OPERATIONS>,
    Operation<'GetExtendedAgentCard'>,
    PushConfigs | undefined,
  ]
): OperationTable {
  return {
    SendMessage: { params: SendMessageDto, operation: send },
    SendStreamingMessage: { params: SendMessageDto, operation: stream },
    GetTask: { params: GetTaskDto, operation: get },
    ListTasks: { params: ListTasksDto, operation: list },
    CancelTask: { params: CancelTaskDto, operation: cancel },
    SubscribeToTask: { params: TaskIdDto, operation: subscribe },
    ...pushConfigOperations(configs),
    GetExtendedAgentCard: { params: TenantDto, operation: card },
  };
}

const EXTENDED_CARD = Symbol('GetExtendedAgentCard');

/** Without authentication there is no extended card, and the public card declares none (A2A-XCARD-01). */
function extendedCard({ facts }: CardOptions, cards: AgentCards): Operation<'GetExtendedAgentCard'> {
  return facts.extendedAgentCard
    ? new GetExtendedAgentCardOperation(cards)
    : undeclared('UnsupportedOperation', 'There is no extended agent card');
}

/** What this process has beside the operations. */
export interface OperationSurroundings {
  /** Whether it runs skills: a message's run may then begin at once. */
  readonly runs: boolean;
  readonly webhooks: boolean;
}

/** Owns the use cases of the protocol. Knows nothing of bindings or dialects. */
@Module({})
export class OperationModule {
  static forRoot(has: OperationSurroundings): DynamicModule {
    return {
      module: OperationModule,
      imports: [
        ...[AuthModule, AuditModule, LimitModule, TaskModule, FeedModule, RunQueueModule, AgentCardModule],
        ...(has.runs ? [WorkerModule] : []),
        ...(has.webhooks ? [PushModule] : []),
      ],
      providers: [
        {
          provide: OperationTable,
          useFactory: operationTable,
          inject: [...OPERATIONS, EXTENDED_CARD, { token: PushConfigs, optional: true }],
        },
        { provide: EXTENDED_CARD, useFactory: extendedCard, inject: [CardOptions, AgentCards] },
        ...OPERATIONS,
        DirectAnswers,
        InlinePush,
        MessageIntake,
        RunStarter,
        TaskEntry,
        LargeMessages,
        StorageRoom,
        SkillSelector,
        SkillScopes,
        LegacyTasks,
        OperationExecutor,
      ],
      exports: [OperationExecutor, LegacyTasks, LargeMessages],
    };
  }
}
