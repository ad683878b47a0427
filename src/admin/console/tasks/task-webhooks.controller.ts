import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import type { Principal } from '../../../auth/principal.js';
import { CONSOLE_SCOPES } from '../../../auth/scopes.js';
import { ConfigStore } from '../../../webhooks/config/config.store.js';
import { PushHistory, type TaskPushHistory } from '../../../webhooks/delivery/attempt/push-history.js';
import { Caller } from '../../../http/guards/caller.guard.js';
import { PassportGuard } from '../../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../../http/guards/scope.guard.js';
import { Summary } from '../../../http/params/summary.js';
import { ConsoleGuard } from '../../../http/console-api/console.guard.js';
import { TaskIdPipe } from '../../../http/console-api/task-id.pipe.js';
import { TenantTasks } from '../../../http/console-api/tenant-tasks.js';

interface TaskWebhook {
  readonly id: string;
  /** Without path and query, which are its owner's secrets. */
  readonly receiver: string;
  readonly events?: readonly string[];
  /** The time of the next attempt; absent when nothing is left to deliver, or it is in progress. */
  readonly next?: string;
}

/** Webhooks of a task and every attempt to deliver to them. */
export interface TaskWebhooks extends TaskPushHistory {
  readonly webhooks: readonly TaskWebhook[];
}

/** The webhooks of one task of the caller's tenant. */
@Controller('console/api/tasks/:id/webhooks')
@UseGuards(PassportGuard, ScopeGuard, ConsoleGuard)
@RequireScope(CONSOLE_SCOPES.observe)
export class TaskWebhooksController {
  constructor(
    private readonly tasks: TenantTasks,
    private readonly configs: ConfigStore,
    private readonly history: PushHistory,
  ) {}

  /** The last hundred attempts, oldest first. @throws A2AError TaskNotFound */
  @Get()
  @Summary('Lists the webhooks of a task and their last attempts')
  async webhooks(@Caller() caller: Principal, @Param('id', TaskIdPipe) id: string): Promise<TaskWebhooks> {
    const { owner } = await this.tasks.facts(caller, id);
    const [records = [], history, nexts] = await Promise.all([
      this.configs.list(owner, id),
      this.history.of(owner, id),
      this.configs.nextAttempts(owner, id),
    ]);
    const webhooks = records.map(({ id: name, url, events }): TaskWebhook => {
      const next = nexts.get(name);
      return {
        ...{ id: name, receiver: new URL(url).origin },
        ...(events === undefined ? {} : { events }),
        ...(next === undefined ? {} : { next: new Date(next).toISOString() }),
      };
    });
    return { webhooks, ...history };
  }
}
