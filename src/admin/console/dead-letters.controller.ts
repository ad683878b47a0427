import { Body, Controller, Get, HttpCode, Post, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import {
  type DeadLetter,
  type DeadLetterFilter,
  DeadLetterStore,
} from '../../webhooks/dead-letter/dead-letter.store.js';
import type { EndpointState } from '../../platform/breaker/endpoint-state.js';
import { EndpointStore } from '../../webhooks/endpoint/endpoint.store.js';
import type { Principal } from '../../auth/principal.js';
import { OPERATE_WEBHOOKS } from '../../auth/scopes.js';
import { Caller } from '../../http/guards/caller.guard.js';
import { PassportGuard } from '../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../http/guards/scope.guard.js';
import { ValidBody, ValidQuery } from '../../http/params/valid.pipes.js';
import { Summary } from '../../http/params/summary.js';
import { ActionAudit, Audited } from '../../http/guards/action-audit.interceptor.js';
import { ConsoleGuard } from '../../http/console-api/console.guard.js';
import { DeadLetterQueryDto, RedriveDto } from './dto/redrive.dto.js';

/** A receiver with undeliverable events. */
export interface ReceiverView extends EndpointState {
  readonly origin: string;
  readonly deadLetters: number;
}

/** Dead letters by a filter, which is repeated to show how it was understood. */
export interface DeadLetterPage {
  readonly filter: DeadLetterQueryDto;
  /** Newest first. */
  readonly deadLetters: readonly DeadLetter[];
  /** Whether the list is incomplete. */
  readonly isCut: boolean;
  readonly receivers: readonly ReceiverView[];
}

/** Maximum of one redrive. */
const MOST = 1_000;
const SHOWN = 200;
const MAX_RECEIVERS = 50;
/** Share by which the number of dead letters may have changed since they were counted. */
const DRIFT = 0.1;

/** Dead letters of the tenant: inspection and redelivery. */
@Controller('console/api/dead-letters')
@UseGuards(PassportGuard, ScopeGuard, ConsoleGuard)
@UseInterceptors(ActionAudit)
@RequireScope(OPERATE_WEBHOOKS)
export class DeadLettersController {
  constructor(
    private readonly letters: DeadLetterStore,
    private readonly endpoints: EndpointStore,
  ) {}

  @Get()
  @Summary('Lists dead letters of the tenant with the state of their receivers')
  async list(
    @Caller() { tenant }: Principal,
    @Query(new ValidQuery(DeadLetterQueryDto)) query: DeadLetterQueryDto,
  ): Promise<DeadLetterPage & { readonly count: number }> {
    const found = await this.letters.list(filterOf(query, tenant), MOST);
    const page = { deadLetters: found.slice(0, SHOWN), count: found.length, isCut: found.length === MOST };
    return { filter: { ...query }, ...page, receivers: await this.receivers(tenant, found) };
  }

  /**
   * Delivers again, oldest first. @throws A2AError UnsupportedOperation when their number differs from the expected one
   */
  @Post('redrive')
  @Summary('Delivers dead letters again if there are as many as the caller has seen')
  @HttpCode(200)
  @Audited('webhooks.redrive')
  async redrive(
    @Caller() { tenant }: Principal,
    @Body(new ValidBody(RedriveDto)) { expected, ...query }: RedriveDto,
  ): Promise<{ readonly filter: DeadLetterQueryDto; readonly revived: number; readonly gone: number }> {
    const filter = filterOf(query, tenant);
    const { length } = await this.letters.list(filter, MOST);
    if (Math.abs(length - expected) > expected * DRIFT) {
      throw new A2AError(
        'UnsupportedOperation',
        `There are ${String(length)} dead letters now, not ${String(expected)}`,
      );
    }
    return { filter: { ...query }, ...(await this.letters.redrive(filter, MOST)) };
  }

  private async receivers(tenant: string, letters: readonly DeadLetter[]): Promise<readonly ReceiverView[]> {
    const counts = new Map<string, number>();
    for (const { origin } of letters) counts.set(origin, (counts.get(origin) ?? 0) + 1);
    const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, MAX_RECEIVERS);
    return Promise.all(
      most.map(async ([origin, deadLetters]) => {
        return { origin, deadLetters, ...(await this.endpoints.stateOf({ tenant, origin })) };
      }),
    );
  }
}

function filterOf({ endpoint, taskId }: DeadLetterQueryDto, tenant: string): DeadLetterFilter {
  return {
    tenant,
    ...(endpoint === undefined ? {} : { origin: new URL(endpoint).origin }),
    ...(taskId === undefined ? {} : { taskId }),
  };
}
