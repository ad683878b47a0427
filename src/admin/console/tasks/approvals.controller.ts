import { randomUUID } from 'node:crypto';
import { Body, Controller, Get, HttpCode, Param, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AnsweredOnBehalf, AnswerOnBehalf, StaleAnswer } from '../../../operations/approval/answer-on-behalf.js';
import { type OpenApprovals, OpenApprovalsReader } from '../../../operations/approval/open-approvals.js';
import type { Principal } from '../../../auth/principal.js';
import { CONSOLE_SCOPES } from '../../../auth/scopes.js';
import { Caller, callerOf } from '../../../http/guards/caller.guard.js';
import { PassportGuard } from '../../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../../http/guards/scope.guard.js';
import { HttpCalls } from '../../../http/binding/http-calls.js';
import { conflict } from '../../../http/errors.js';
import { ValidBody } from '../../../http/params/valid.pipes.js';
import { Summary } from '../../../http/params/summary.js';
import { ActionAudit, Audited } from '../../../http/guards/action-audit.interceptor.js';
import { ConsoleGuard } from '../../../http/console-api/console.guard.js';
import { AnswerDto } from '../dto/answer.dto.js';
import { TaskIdPipe } from '../../../http/console-api/task-id.pipe.js';
import { TenantTasks } from '../../../http/console-api/tenant-tasks.js';

/**
 * The questions of the tenant that a caller may answer, and their answers. Approvers see only the questions of these
 * tasks.
 */
@Controller('console/api')
@UseGuards(PassportGuard, ScopeGuard, ConsoleGuard)
@UseInterceptors(ActionAudit)
@RequireScope(CONSOLE_SCOPES.answer)
export class ApprovalsController {
  constructor(
    private readonly open: OpenApprovalsReader,
    private readonly answers: AnswerOnBehalf,
    private readonly tasks: TenantTasks,
    private readonly calls: HttpCalls,
  ) {}

  /** The nearest deadline first. */
  @Get('approvals')
  @Summary('Lists the open questions of the tenant that the caller may answer')
  list(@Caller() caller: Principal): Promise<OpenApprovals> {
    return this.open.of(caller);
  }

  /** Answers a question of a task of any owner. @throws A2AError with 409 when another person has answered */
  @Post('tasks/:id/answer')
  @Summary('Answers a question of a task of any owner')
  @HttpCode(200)
  @Audited('question.answer')
  async answer(
    @Param('id', TaskIdPipe) id: string,
    @Body(new ValidBody(AnswerDto)) { questionId, text, data, messageId = randomUUID() }: AnswerDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnsweredOnBehalf> {
    const caller = callerOf(request);
    const task = await this.tasks.facts(caller, id);
    const call = this.calls.of(request, reply, caller, { version: '1.0', facts: { requestId: request.id } });
    const part = text === undefined ? { data } : { text };
    try {
      return await this.answers.answer(task, { questionId, part, messageId }, call);
    } catch (error) {
      throw error instanceof StaleAnswer ? conflict(error) : error;
    }
  }
}
