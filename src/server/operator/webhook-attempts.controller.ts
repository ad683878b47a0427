import { Controller, Get, Inject, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CallerGate } from '../../security/auth/caller.gate.js';
import { ownerOf } from '../../security/auth/principal.js';
import { BindingOptions } from '../http/binding.options.js';
import { PushHistory, type TaskPushHistory } from '../../push/delivery/push-history.js';

/** Delivery attempts of a task's webhooks, for its owner. */
@Controller('webhooks')
export class WebhookAttemptsController {
  constructor(
    private readonly gate: CallerGate,
    private readonly history: PushHistory,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  /** The last attempts, oldest first, and the webhooks that were stopped. @throws A2AError TaskNotFound */
  @Get('attempts/:taskId')
  async attempts(@Param('taskId') taskId: string, @Req() request: FastifyRequest): Promise<TaskPushHistory> {
    const principal = await this.gate.admitHttp(request);
    await this.gate.permit(principal, 'ListTaskPushNotificationConfigs');
    return this.history.of(ownerOf(principal, this.options.ownership), taskId);
  }
}
