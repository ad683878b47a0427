import { Controller, Get, Inject, Param, UseGuards } from '@nestjs/common';
import { ownerOf, type Principal } from '../../auth/principal.js';
import { BindingOptions } from '../../http/binding/binding.options.js';
import { Summary } from '../../http/params/summary.js';
import { Caller } from '../../http/guards/caller.guard.js';
import { PassportGuard } from '../../http/guards/passport.guard.js';
import { RequireOperation, ScopeGuard } from '../../http/guards/scope.guard.js';
import { PushHistory, type TaskPushHistory } from '../../webhooks/delivery/attempt/push-history.js';

/** Delivery attempts of a task's webhooks, for its owner. */
@Controller('webhooks')
@UseGuards(PassportGuard, ScopeGuard)
@RequireOperation('ListTaskPushNotificationConfigs')
export class WebhookAttemptsController {
  constructor(
    private readonly history: PushHistory,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  /** The last attempts, oldest first, and the webhooks that were stopped. @throws A2AError TaskNotFound */
  @Get('attempts/:taskId')
  @Summary('Lists the delivery attempts of the webhooks of a task')
  attempts(@Caller() caller: Principal, @Param('taskId') taskId: string): Promise<TaskPushHistory> {
    return this.history.of(ownerOf(caller, this.options.ownership), taskId);
  }
}
