import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, UseGuards } from '@nestjs/common';
import { EventSubscriptions, type Subscriber, type Subscription } from '../../webhooks/config/event-subscriptions.js';
import { CallerGate } from '../../auth/caller.gate.js';
import { ownerOf, type Principal } from '../../auth/principal.js';
import { QuotaStore } from '../../limits/quotas/quota.store.js';
import { missingScope, OPERATE_WEBHOOKS, SCOPE_OF } from '../../auth/scopes.js';
import { Caller } from '../../http/guards/caller.guard.js';
import { PassportGuard } from '../../http/guards/passport.guard.js';
import { RequireOperation, ScopeGuard } from '../../http/guards/scope.guard.js';
import { BindingOptions } from '../../http/binding/binding.options.js';
import { Summary } from '../../http/params/summary.js';
import { ValidBody } from '../../http/params/valid.pipes.js';
import { EventWebhookDto } from './dto/event-webhook.dto.js';

/** Scopes of an operator for the events of its whole tenant: their data is content of tasks. */
const OF_TENANT = [OPERATE_WEBHOOKS, SCOPE_OF.GetTask];

/** Webhooks for the events that tasks publish: of a caller's own tasks, and for operators those of their tenant. */
@Controller('webhooks/events')
@UseGuards(PassportGuard, ScopeGuard)
export class EventWebhooksController {
  constructor(
    private readonly subscriptions: EventSubscriptions,
    private readonly gate: CallerGate,
    private readonly quotas: QuotaStore,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  /** @throws A2AError InvalidParams, AuthError PermissionDenied, RateLimitedError */
  @Post()
  @RequireOperation('CreateTaskPushNotificationConfig')
  @Summary('Subscribes a webhook to published events')
  create(
    @Caller() caller: Principal,
    @Body(new ValidBody(EventWebhookDto)) { of, ...wanted }: EventWebhookDto,
  ): Promise<Subscription> {
    this.quotas.requireStorage();
    if (of !== 'tenant') return this.subscriptions.create(wanted, this.ownOf(caller));
    this.gate.requireScopes(caller, OF_TENANT);
    return this.subscriptions.create(wanted, { tenant: caller.tenant, client: caller.client });
  }

  /** For an operator all of its tenant. */
  @Get()
  @RequireOperation('ListTaskPushNotificationConfigs')
  @Summary('Lists the webhooks that are subscribed to published events')
  async list(@Caller() caller: Principal): Promise<{ readonly webhooks: readonly Subscription[] }> {
    return { webhooks: await this.subscriptions.list(this.seenBy(caller)) };
  }

  /** Also succeeds for a missing one. */
  @Delete(':id')
  @HttpCode(200)
  @RequireOperation('DeleteTaskPushNotificationConfig')
  @Summary('Removes a webhook for published events')
  async remove(@Caller() caller: Principal, @Param('id') id: string): Promise<Readonly<Record<string, never>>> {
    await this.subscriptions.remove(this.seenBy(caller), id);
    return {};
  }

  private ownOf(caller: Principal): Subscriber {
    const { tenant, client } = caller;
    return { tenant, client, owner: ownerOf(caller, this.options.ownership) };
  }

  private seenBy(caller: Principal): Subscriber {
    const isOperator = missingScope(caller, OF_TENANT) === undefined;
    return isOperator ? { tenant: caller.tenant, client: caller.client } : this.ownOf(caller);
  }
}
