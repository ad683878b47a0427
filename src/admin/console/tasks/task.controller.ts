import { Controller, Get, HttpCode, Param, Post, Query, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Principal } from '../../../auth/principal.js';
import { CONSOLE_SCOPES, SCOPE_OF } from '../../../auth/scopes.js';
import { EventLog } from '../../../tasks/commit/event-log.js';
import { type TaskTree, TreeReader } from '../../../tasks/survey/tree-reader.js';
import type { TaskFacts } from '../../../tasks/lists/task-inspector.js';
import { withoutFaults, withoutReason } from '../../../tasks/record/run-fault.js';
import { type StepContent, type TaskWork, TaskWorkReader } from '../../../tasks/store/task-work.js';
import type { EventView } from '../../../tasks/survey/event-view.js';
import { Caller } from '../../../http/guards/caller.guard.js';
import { PassportGuard } from '../../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../../http/guards/scope.guard.js';
import { ValidQuery } from '../../../http/params/valid.pipes.js';
import { Summary } from '../../../http/params/summary.js';
import { ActionAudit, Audited } from '../../../http/guards/action-audit.interceptor.js';
import { ConsoleGuard } from '../../../http/console-api/console.guard.js';
import { EventListDto, EventPageDto } from '../dto/event-page.dto.js';
import { StepDto } from '../dto/step.dto.js';
import { mayReadContent } from './shown-content.js';
import { eventViews } from './task-events.js';
import { TaskContents } from './task-contents.js';
import { TaskIdPipe } from '../../../http/console-api/task-id.pipe.js';
import { type CancelView, TenantTasks } from '../../../http/console-api/tenant-tasks.js';

/** A page of events; `latest` is the number of the task's newest one. */
export interface EventPage {
  readonly events: readonly EventView[];
  readonly latest: number;
}

const DEFAULT_EVENTS = 200;
/** Content requires a right of its own, in addition to the one to see the task. */
const CONTENT = [CONSOLE_SCOPES.observe, SCOPE_OF.GetTask] as const;
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' } as const;

/** One task of the caller's tenant. Its input and output are shown by routes with a further right. */
@Controller('console/api/tasks/:id')
@UseGuards(PassportGuard, ScopeGuard, ConsoleGuard)
@UseInterceptors(ActionAudit)
@RequireScope(CONSOLE_SCOPES.observe)
export class TaskController {
  constructor(
    private readonly tasks: TenantTasks,
    private readonly work: TaskWorkReader,
    private readonly log: EventLog,
    private readonly trees: TreeReader,
    private readonly contents: TaskContents,
  ) {}

  /**
   * State, owner, runs, steps, queue position; with the right to read tasks also failure reasons. @throws A2AError
   * TaskNotFound, like all others here
   */
  @Get()
  @Summary('Reads state, owner, runs and steps of a task')
  async task(@Caller() caller: Principal, @Param('id', TaskIdPipe) id: string): Promise<TaskFacts & TaskWork> {
    const facts = await this.tasks.facts(caller, id);
    const about = { ...facts, ...(await this.work.of(id)) };
    return mayReadContent(caller) ? about : withoutFaults(withoutReason(about));
  }

  /**
   * Events without content: number, kind, state, time and size; with the right to read tasks also the message of a
   * status.
   */
  @Get('events')
  @Summary('Lists the events of a task without content')
  async events(
    @Caller() caller: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query(new ValidQuery(EventListDto)) { from = 1, limit = DEFAULT_EVENTS, last }: EventListDto,
  ): Promise<EventPage> {
    const { events: latest } = await this.tasks.facts(caller, id);
    const page = last === undefined ? { from, limit } : { from: Math.max(1, latest - last + 1), limit: last };
    const events = await eventViews(this.log, id, page);
    return { events: mayReadContent(caller) ? events : events.map(({ text: _text, ...view }) => view), latest };
  }

  /** The whole tree of the task. */
  @Get('tree')
  @Summary('Lists the tasks of the tree of a task')
  async tree(@Caller() caller: Principal, @Param('id', TaskIdPipe) id: string): Promise<TaskTree> {
    const { tree } = await this.tasks.facts(caller, id);
    const found = await this.trees.of(tree?.root ?? id);
    return mayReadContent(caller) ? found : { ...found, tasks: found.tasks.map(withoutReason) };
  }

  /** The task as A2A 1.0 JSON, up to a size limit. */
  @Get('content')
  @Summary('Reads a task with its content')
  @RequireScope(CONTENT)
  @Audited('task.read')
  async content(
    @Caller() caller: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const facts = await this.tasks.facts(caller, id);
    const text = await this.contents.of(facts, caller, reply.raw);
    void reply.headers(JSON_TYPE);
    return text;
  }

  /** Stored events as raw texts: numbers beyond the range of browsers stay exact. */
  @Get('raw')
  @Summary('Reads stored events as text')
  @RequireScope(CONTENT)
  @Audited('task.read-events')
  async raw(
    @Caller() caller: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query(new ValidQuery(EventPageDto)) { from = 1, limit = DEFAULT_EVENTS }: EventPageDto,
  ): Promise<Awaited<ReturnType<TaskContents['events']>>> {
    await this.tasks.facts(caller, id);
    return this.contents.events(id, from, limit);
  }

  /** The result of a step as its stored text. */
  @Get('steps/content')
  @Summary('Reads the result of a step')
  @RequireScope(CONTENT)
  @Audited('task.read-step')
  async step(
    @Caller() caller: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query(new ValidQuery(StepDto)) { turn = 1, name = '' }: StepDto,
  ): Promise<StepContent> {
    await this.tasks.facts(caller, id);
    return this.work.step(id, turn, name);
  }

  @Post('cancel')
  @Summary('Cancels a task')
  @HttpCode(200)
  @RequireScope(CONSOLE_SCOPES.operate)
  @Audited('task.cancel')
  cancel(@Caller() caller: Principal, @Param('id', TaskIdPipe) id: string): Promise<CancelView> {
    return this.tasks.cancel(caller, id);
  }
}
