import { randomUUID } from 'node:crypto';
import { Body, Controller, HttpCode, Param, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperationExecutor } from '../../../operations/executor/operation-executor.js';
import { CONTEXT_EXTENSION } from '@parley/protocol/extension/context-extension.js';
import { SIMULATED } from '@parley/protocol/extension/marks.js';
import { A2AError, invalidParams, taskNotFound } from '@parley/protocol/model/errors.js';
import type { Part } from '@parley/protocol/model/message.js';
import { CONSOLE_SCOPES, SCOPE_OF } from '../../../auth/scopes.js';
import { TaskStore } from '../../../tasks/store/task.store.js';
import { TaskWorkReader } from '../../../tasks/store/task-work.js';
import { type StepName, stepsBefore, type TakenSteps } from './taken-steps.js';
import { callerOf } from '../../../http/guards/caller.guard.js';
import { PassportGuard } from '../../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../../http/guards/scope.guard.js';
import { HttpCalls } from '../../../http/binding/http-calls.js';
import { ValidBody } from '../../../http/params/valid.pipes.js';
import { Summary } from '../../../http/params/summary.js';
import { ActionAudit, Audited } from '../../../http/guards/action-audit.interceptor.js';
import { ConsoleGuard } from '../../../http/console-api/console.guard.js';
import { RerunDto } from '../dto/rerun.dto.js';
import { TaskIdPipe } from '../../../http/console-api/task-id.pipe.js';
import { TenantTasks } from '../../../http/console-api/tenant-tasks.js';

/** A rerun task; with a step also the reused and the live steps. */
interface Rerun extends Partial<Pick<TakenSteps, 'taken' | 'live'>> {
  readonly taskId: string;
}

/** Reruns a task as a new one. */
@Controller('console/api/tasks/:id/rerun')
@UseGuards(PassportGuard, ScopeGuard, ConsoleGuard)
@UseInterceptors(ActionAudit)
export class TaskRerunController {
  constructor(
    private readonly tasks: TenantTasks,
    private readonly store: TaskStore,
    private readonly work: TaskWorkReader,
    private readonly operations: OperationExecutor,
    private readonly calls: HttpCalls,
  ) {}

  /**
   * Sends the first message of a task again, to its skill, with the caller's own rights: the caller owns the new task.
   * It has neither the webhooks nor the context of the old one, and reuses results of steps if a starting step is
   * named.
   * @throws A2AError TaskNotFound, InvalidParams for an unfinished step, and those of SendMessage
   */
  @Post()
  @Summary('Begins a task again, as a task of the caller')
  @HttpCode(200)
  @RequireScope([CONSOLE_SCOPES.observe, SCOPE_OF.GetTask, SCOPE_OF.SendMessage])
  @Audited('task.rerun')
  async rerun(
    @Param('id', TaskIdPipe) id: string,
    @Body(new ValidBody(RerunDto)) { text, step, turn = 1 }: RerunDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Rerun> {
    const caller = callerOf(request);
    const { owner, skill, tree } = await this.tasks.facts(caller, id);
    if (tree !== undefined) throw isChild(tree.root);
    const first = (await this.store.read(owner, id, { artifacts: false }))?.task.value;
    const [message] = first?.history ?? [];
    if (message === undefined) throw taskNotFound();
    const steps = step === undefined ? undefined : await this.stepsBefore(id, { turn, name: step });
    const parts = text === undefined ? message.parts : withText(message.parts, text);
    const debug =
      first?.metadata?.[SIMULATED] === true ? { metadata: { [CONTEXT_EXTENSION]: { debug_mode: true } } } : {};
    const again = { messageId: randomUUID(), role: 'ROLE_USER', parts, ...debug } as const;
    const metadata = { ...first?.metadata, skillId: skill };
    const params = { message: again, metadata, configuration: { returnImmediately: true } };
    const call = {
      ...this.calls.of(request, reply, caller, { version: '1.0', facts: { requestId: request.id } }),
      rerunOf: id,
      ...(steps === undefined ? {} : { journal: steps.entries }),
    };
    const { value } = await this.operations.run(await this.operations.permit('SendMessage', params, call));
    if ('task' in value) {
      return { taskId: value.task.id, ...(steps === undefined ? {} : { taken: steps.taken, live: steps.live }) };
    }
    throw new A2AError('UnsupportedOperation', 'The skill answers with a message, so there is no task to look at');
  }

  private async stepsBefore(id: string, from: StepName): Promise<TakenSteps> {
    const steps = stepsBefore(await this.work.journal(id), from, { of: id, now: Date.now() });
    if (steps !== undefined) return steps;
    throw invalidParams([{ field: 'step', description: 'is no step that the task has finished in this turn' }]);
  }
}

/** Replaces the texts of a message by one; keeps its other parts. */
function withText(parts: readonly Part[], text: string): readonly Part[] {
  return [{ text }, ...parts.filter((part) => !('text' in part))];
}

function isChild(root: string): A2AError {
  const text = 'The task was called by another one: run its root again';
  return new A2AError('UnsupportedOperation', text, { metadata: { root } });
}
