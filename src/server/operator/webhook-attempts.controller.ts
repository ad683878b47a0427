import { Controller, Get, Inject, Param, UseGuards } from '@nestjs/common';
import { ownerOf, type Principal } from '../../security/auth/principal.js';
import { BindingOptions } from '../http/binding.options.js';
import { PushConfigs, type PushHistory } from '../../push/push-configs.js';
import { Caller, CallerGuard } from '../guards/caller.guard.js';
import { RequireOperation, ScopeGuard } from '../guards/scope.guard.js';

/** What became of the webhooks of a task, for its owner. */
@Controller('webhooks')
@UseGuards(CallerGuard, ScopeGuard)
@RequireOperation('ListTaskPushNotificationConfigs')
export class WebhookAttemptsController {
  constructor(
    private readonly webhooks: PushConfigs,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  /** The last attempts, oldest first, and the webhooks that were stopped. @throws A2AError TaskNotFound */
  @Get('attempts/:taskId')
  attempts(@Caller() caller: Principal, @Param('taskId') taskId: string): Promise<PushHistory> {
    return this.webhooks.history(ownerOf(caller, this.options.ownership), taskId);
  }
}
