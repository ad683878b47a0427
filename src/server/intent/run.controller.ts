import { Controller, Logger, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { intentAnswerOf } from '../../intent/intent-answer.js';
import { hasRequestId } from '../../intent/intent.codec.js';
import { runAnswerOf } from '../../intent/run-answer.js';
import { OperationExecutor } from '../../operation/operation-executor.js';
import { CallerGuard } from '../guards/caller.guard.js';
import { Answers } from '../http/answer/answers.js';
import { CallRunner } from '../binding/call-runner.js';
import { RUN_PATH } from '../http/fault-text.js';
import { PLAIN_JSON_HEADERS } from '../http/answer/media-types.js';
import { CALL_NAME, permittedExchange } from './run-exchange.js';
import { RunGuard } from './run.guard.js';

/**
 * `POST /run` (seed 2 § 6.2): runs an intent as SendMessage, and answers with its result, its task or its question. The
 * guard has read the call and asked for its right.
 */
@Controller()
@UseGuards(CallerGuard, RunGuard)
export class RunController {
  private readonly log = new Logger(RunController.name);

  constructor(
    private readonly operations: OperationExecutor,
    private readonly runner: CallRunner,
    private readonly answers: Answers,
  ) {}

  @Post(RUN_PATH)
  async handle(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { permitted, intent, running, body } = permittedExchange(request);
    const { value } = await this.operations.run(permitted);
    const answer = runAnswerOf(intentAnswerOf(value, intent.hasOutput), hasRequestId(body));
    await this.answers.sendAfterLines(reply, answer.status, { ...PLAIN_JSON_HEADERS, ...answer.headers }, answer.text);
    this.runner.end(running, CALL_NAME, 'ok', this.log);
  }
}
