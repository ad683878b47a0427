import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Answers } from '../answer/answers.js';
import { HttpCalls } from '../binding/http-calls.js';
import { unknownPath } from '../errors.js';
import { SCOPE_OF } from '../../auth/scopes.js';
import { callerOf } from '../guards/caller.guard.js';
import { PassportGuard } from '../guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../guards/scope.guard.js';
import { PLAIN_JSON_HEADERS } from '../answer/media-types.js';
import { OperationExecutor } from '../../operations/executor/operation-executor.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import { cardToV03 } from '@parley/protocol/card/card-v0-3.js';

/** The extended card of A2A 0.2.1 to 0.2.6, which had a path of its own besides the agent's URL (V02-07). */
@Controller('agent')
@UseGuards(PassportGuard, ScopeGuard)
@RequireScope(SCOPE_OF.GetExtendedAgentCard)
export class ExtendedCardController {
  constructor(
    private readonly calls: HttpCalls,
    private readonly operations: OperationExecutor,
    private readonly answers: Answers,
  ) {}

  @Get('authenticatedExtendedCard')
  async card(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const read = { version: '0.2', facts: { requestId: request.id } } as const;
    const call = this.calls.of(request, reply, callerOf(request), read);
    try {
      const permitted = await this.operations.permit('GetExtendedAgentCard', {}, call);
      const { value } = await this.operations.run(permitted);
      await this.answers.sendAfterLines(reply, {
        ...{ status: 200, headers: PLAIN_JSON_HEADERS },
        text: JSON.stringify(cardToV03(value)),
      });
    } catch (error) {
      // That version had no error for it: without such a card its path does not exist.
      throw error instanceof A2AError && error.kind === 'UnsupportedOperation' ? unknownPath() : error;
    }
  }
}
