import {
  Controller,
  Get,
  HttpCode,
  Inject,
  NotFoundException,
  Post,
  Query,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { type BinContent, type BinOwner, MAX_BINS, WebhookBins } from './webhook-bins.js';
import { ownerOf, type Principal } from '../../auth/principal.js';
import { CONSOLE_SCOPES, SCOPE_OF } from '../../auth/scopes.js';
import { quotaExceeded } from '../../limits/quotas/quota.js';
import { QuotaStore } from '../../limits/quotas/quota.store.js';
import { ActionAudit, Audited } from '../../http/guards/action-audit.interceptor.js';
import { Caller } from '../../http/guards/caller.guard.js';
import { PassportGuard } from '../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../http/guards/scope.guard.js';
import { AfterDto } from '../../http/params/after.dto.js';
import { Summary } from '../../http/params/summary.js';
import { ValidQuery } from '../../http/params/valid.pipes.js';
import { ConsoleGuard } from '../../http/console-api/console.guard.js';
import { ConsoleAccess } from '../../http/console-api/console-access.js';

/**
 * The caller's bin: a receiver inside the service for webhooks of its own tasks. Registering a webhook requires the
 * scope of that operation, as with every receiver.
 */
@Controller('console/api/bin')
@UseGuards(PassportGuard, ScopeGuard, ConsoleGuard)
@UseInterceptors(ActionAudit)
@RequireScope([CONSOLE_SCOPES.tryAgents, SCOPE_OF.GetTask])
export class WebhookBinController {
  constructor(
    private readonly bins: WebhookBins,
    private readonly quotas: QuotaStore,
    @Inject(ConsoleAccess) private readonly access: ConsoleAccess,
  ) {}

  /** @throws RateLimitedError when the tenant has its maximum, or the storage is short */
  @Post()
  @Summary('Opens a bin for webhooks of your tasks, or keeps it for another hour')
  @HttpCode(200)
  @Audited('bin.open')
  async open(@Caller() caller: Principal): Promise<Omit<BinContent, 'deliveries'>> {
    this.quotas.requireStorage();
    const bin = await this.bins.open(this.ownerOf(caller));
    if (bin === undefined) throw quotaExceeded({ subject: 'webhook bins', limit: MAX_BINS, retryAfterSeconds: 600 });
    return bin;
  }

  /** @throws NotFoundException without an open bin */
  @Get()
  @Summary('Reads the deliveries in your bin')
  async read(@Caller() caller: Principal, @Query(new ValidQuery(AfterDto)) { after }: AfterDto): Promise<BinContent> {
    const bin = await this.bins.read(this.ownerOf(caller), after);
    if (bin === undefined) throw new NotFoundException('No bin is open');
    return bin;
  }

  private ownerOf(caller: Principal): BinOwner {
    return { tenant: caller.tenant, owner: ownerOf(caller, this.access.ownership) };
  }
}
