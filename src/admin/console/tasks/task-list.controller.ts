import { Body, Controller, Get, HttpCode, Post, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { readTimeOrDay } from '@parley/protocol/model/timestamp.js';
import type { Principal } from '../../../auth/principal.js';
import { CONSOLE_SCOPES } from '../../../auth/scopes.js';
import { withoutReason } from '../../../tasks/record/run-fault.js';
import {
  type TenantCounts,
  type TenantFilter,
  TenantIndex,
  type TenantTasks as FoundTasks,
} from '../../../tasks/lists/tenant-index.js';
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

/** A page of tasks; the first one has counts. */
type TaskPage = Omit<FoundTasks, 'states'> & Partial<TenantCounts>;

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

  /** Ordered by the youngest status; the first page has the number of tasks per state that match the other filters. */
  @Get()
  @Summary('Lists the tasks of the tenant, the youngest status first')
  async list(@Caller() caller: Principal, @Query(new ValidQuery(TaskListDto)) query: TaskListDto): Promise<TaskPage> {
    const page = await this.read(caller.tenant, query);
    return mayReadContent(caller) ? page : { ...page, tasks: page.tasks.map(withoutReason) };
  }

  private async read(tenant: string, { id, after, limit = DEFAULT_LIMIT, ...query }: TaskListDto): Promise<TaskPage> {
    if (id !== undefined) return this.index.beginningWith(tenant, id, limit);
    const filter = filterOf(query);
    const [{ states, ...page }, counts] = await Promise.all([
      this.index.list(tenant, filter, limit, after),
      after === undefined ? this.index.countsOf(tenant, filter) : undefined,
    ]);
    return after === undefined ? { ...page, states, ...counts } : page;
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
