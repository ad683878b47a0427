import { type DynamicModule, Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AgentModule } from '../agents/agent.module.js';
import { AgentCardModule } from '../agents/card/agent-card.module.js';
import { PolicyModule } from '../policy/policy.module.js';
import { PushModule } from '../webhooks/push.module.js';
import { WorkerModule } from '../runs/worker.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { LimitModule } from '../limits/limit.module.js';
import { TaskModule } from '../tasks/task.module.js';
import { FeedModule } from '../tasks/feed/feed.module.js';
import { RunQueueModule } from '../runs/queue/run-queue.module.js';
import { AnswerOnBehalf } from './approval/answer-on-behalf.js';
import { AnswerIntake } from './send/answer-intake.js';
import { DirectAnswers } from './send/direct/direct-answers.js';
import { DirectHosts } from './send/direct/direct-hosts.js';
import { SkillSelector } from './send/skill-selector.js';
import { OperationExecutor } from './executor/operation-executor.js';
import { LegacyTasks } from './executor/legacy-tasks.js';
import { InlinePush } from './send/inline-push.js';
import { KnownMessages } from './send/known-messages.js';
import { MessageContexts } from './send/context/message-context.js';
import { LargeMessages } from './send/large-messages.js';
import { MessageIntake } from './send/message-intake.js';
import { RunStarter } from './send/run-starter.js';
import { StorageRoom } from './send/storage-room.js';
import { TaskBeginning } from './send/task-beginning.js';
import { TaskContinuation } from './send/task-continuation.js';
import { TaskEntry } from './send/task-entry.js';
import { OPERATIONS, OperationTable, operationTable } from './executor/operation-table.js';
import { SkillScopes } from './skill-scopes.js';

/** Options of this process besides the operations. */
export interface OperationSurroundings {
  /** Whether it runs skills: a message's run may then begin at once. */
  readonly runs: boolean;
  readonly webhooks: boolean;
}

const USE_CASES = [
  AnswerIntake,
  DirectAnswers,
  DirectHosts,
  InlinePush,
  KnownMessages,
  MessageContexts,
  MessageIntake,
  RunStarter,
  TaskBeginning,
  TaskContinuation,
  TaskEntry,
  AnswerOnBehalf,
  LargeMessages,
  StorageRoom,
  SkillSelector,
  SkillScopes,
  LegacyTasks,
  OperationExecutor,
];

/** Owns the use cases of the protocol. Knows nothing of bindings or dialects. */
@Module({})
export class OperationModule {
  static forRoot(has: OperationSurroundings): DynamicModule {
    return {
      module: OperationModule,
      imports: [
        ...[
          AuthModule,
          AuditModule,
          LimitModule,
          TaskModule,
          FeedModule,
          RunQueueModule,
          AgentCardModule,
          AgentModule,
          PolicyModule,
        ],
        ...(has.runs ? [WorkerModule] : []),
        ...(has.webhooks ? [PushModule] : []),
      ],
      providers: [
        // Nest creates the operations before the table that resolves them.
        { provide: OperationTable, useFactory: operationTable, inject: [ModuleRef, ...OPERATIONS] },
        ...OPERATIONS,
        ...USE_CASES,
      ],
      exports: [OperationExecutor, OperationTable, LegacyTasks, LargeMessages, AnswerOnBehalf, SkillScopes],
    };
  }
}
