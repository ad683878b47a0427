import { hash } from 'node:crypto';
import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CALLBACK_PATH, Callbacks } from './callbacks.js';
import { RunQueue } from '../../runs/queue/run.queue.js';
import { MirrorStore } from '../../tasks/tree/mirror.store.js';
import { Public } from '../../http/guards/public.js';
import { unknownPath } from '../../http/errors.js';
import { callbackTokensOf, MAX_CALLBACK } from './forged-callbacks.js';

/**
 * Receives the webhooks of other agents for tasks that this service mirrors. A callback is a hint: it ends the wait of
 * the mirror, which then polls the agent itself. Only a digest of its body is used, to recognise a repeat (O-83).
 */
@Public('a callback proves itself by the token of its task')
@Controller(CALLBACK_PATH)
export class CallbackController {
  constructor(
    private readonly callbacks: Callbacks,
    private readonly mirrors: MirrorStore,
    private readonly queue: RunQueue,
  ) {}

  /** @throws HttpFault the answer of an unknown path, when there is nothing to wake */
  @Post(':taskId')
  @HttpCode(202)
  async take(@Param('taskId') taskId: string, @Req() request: FastifyRequest): Promise<void> {
    const { body } = request;
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    if (bytes.length > MAX_CALLBACK || !this.callbacks.isGenuine(taskId, callbackTokensOf(request)))
      throw unknownPath();
    const outcome = await this.mirrors.hint(taskId, hash('sha256', bytes, 'base64url').slice(0, 12));
    if (outcome === 'gone') throw unknownPath();
    if (outcome === 'woken') this.queue.wake();
  }
}
