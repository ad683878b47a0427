import { Body, Controller, Get, HttpCode, Post, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { readTimeOrDay } from '@parley/protocol/model/timestamp.js';
import type { Principal } from '../../../auth/principal.js';
import { CONSOLE_SCOPES } from '../../../auth/scopes.js';
import { withoutReason } from '../../../tasks/record/run-fault.js';
import { type TenantFilter, TenantIndex, type TenantTasks as TaskPage } from '../../../tasks/lists/tenant-index.js';
import { Caller } from '../../../http/guards/caller.guard.js';
import { PassportGuard } from '../../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../../http/guards/scope.guard.js';
import { ValidBody, ValidQuery } from '../../../http/params/valid.pipes.js';
import { Summary } from '../../../http/params/summary.js';
import { ActionAudit, Audited } from '../../../http/guards/action-audit.interceptor.js';
import { ConsoleGuard } from '../../../http/console-api/console.guard.js';
import { type TaskFilterDto, TaskIdsDto, TaskListDto } from '../dto/task-list.dto.js';
import { mayReadContent } from './shown-content.js';
import { type CancelView, TenantTasks } from '../../../http/console-api/tenant-tasks.js';

const DEFAULT_LIMIT = 50;

/**
 * The tasks of the caller's tenant: states, times and sizes; with the right to read tasks also the reasons of failures.
 */
@Controller('console/api/tasks')
@UseGuards(PassportGuard, ScopeGuard, ConsoleGuard)
@UseInterceptors(ActionAudit)
@RequireScope(CONSOLE_SCOPES.observe)
export class TaskListController {
  constructor(
    private readonly index: TenantIndex,
    private readonly tasks: TenantTasks,
  ) {}

  /** Ordered by the youngest status, with the number of tasks per state. */
  @Get()
  @Summary('Lists the tasks of the tenant, the youngest status first')
  async list(
    @Caller() caller: Principal,
    @Query(new ValidQuery(TaskListDto)) { after, limit = DEFAULT_LIMIT, ...filter }: TaskListDto,
  ): Promise<TaskPage> {
    const page = await this.index.list(caller.tenant, filterOf(filter), limit, after);
    return mayReadContent(caller) ? page : { ...page, tasks: page.tasks.map(withoutReason) };
  }

  /** Cancels tasks by their ids, and returns the outcome of each. */
  @Post('cancel')
  @Summary('Cancels tasks by their ids')
  @HttpCode(200)
  @RequireScope(CONSOLE_SCOPES.operate)
  @Audited('tasks.cancel')
  async cancel(
    @Caller() caller: Principal,
    @Body(new ValidBody(TaskIdsDto)) { ids }: TaskIdsDto,
  ): Promise<{ readonly tasks: readonly CancelView[] }> {
    return { tasks: await this.tasks.cancelAll(caller, ids) };
  }
}

/** The filter of a query, in the form of the index. */
export function filterOf({ state, skill, client, context, since }: TaskFilterDto): TenantFilter {
  return { state, skill, client, contextId: context, since: since === undefined ? undefined : readTimeOrDay(since) };
}
