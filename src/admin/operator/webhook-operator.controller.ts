import { Body, Controller, Get, HttpCode, Post, Query, UseGuards } from '@nestjs/common';
import { OPERATE_WEBHOOKS } from '../../auth/scopes.js';
import type { DeadLetter } from '../../webhooks/dead-letter/dead-letter.store.js';
import { type DeadLetterFilter, DeadLetterStore } from '../../webhooks/dead-letter/dead-letter.store.js';
import type { EndpointState } from '../../platform/breaker/endpoint-state.js';
import { EndpointStore } from '../../webhooks/endpoint/endpoint.store.js';
import { DeadLetterFilterDto } from './dto/dead-letter-filter.dto.js';
import { EndpointDto } from './dto/endpoint.dto.js';
import type { Principal } from '../../auth/principal.js';
import { Caller } from '../../http/guards/caller.guard.js';
import { PassportGuard } from '../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../http/guards/scope.guard.js';
import { Summary } from '../../http/params/summary.js';
import { ValidBody, ValidQuery } from '../../http/params/valid.pipes.js';
import { readTimeOrDay } from '@parley/protocol/model/timestamp.js';

const DEFAULT_LIMIT = 100;

/** Operator API with its own scope: dead letters and receivers of the caller's tenant. */
@Controller('webhooks')
@UseGuards(PassportGuard, ScopeGuard)
@RequireScope(OPERATE_WEBHOOKS)
export class WebhookOperatorController {
  constructor(
    private readonly letters: DeadLetterStore,
    private readonly endpoints: EndpointStore,
  ) {}

  /** Newest first. */
  @Get('dead-letters')
  @Summary('Lists dead letters of the tenant, newest first')
  async list(
    @Caller() { tenant }: Principal,
    @Query(new ValidQuery(DeadLetterFilterDto)) filter: DeadLetterFilterDto,
  ): Promise<{ readonly deadLetters: readonly DeadLetter[] }> {
    return { deadLetters: await this.letters.list(filterOf(filter, tenant), filter.limit ?? DEFAULT_LIMIT) };
  }

  /** Redrives dead letters, oldest first. */
  @Post('redrive')
  @Summary('Delivers dead letters again, oldest first')
  @HttpCode(200)
  redrive(
    @Caller() { tenant }: Principal,
    @Body(new ValidBody(DeadLetterFilterDto)) filter: DeadLetterFilterDto,
  ): Promise<{ readonly revived: number; readonly gone: number }> {
    return this.letters.redrive(filterOf(filter, tenant), filter.limit ?? DEFAULT_LIMIT);
  }

  @Get('endpoint')
  @Summary('Reads the state of a receiver')
  endpoint(
    @Caller() { tenant }: Principal,
    @Query(new ValidQuery(EndpointDto)) { endpoint }: EndpointDto,
  ): Promise<EndpointState> {
    return this.endpoints.stateOf({ tenant, origin: originOf(endpoint) });
  }

  /** Enables a disabled or paused receiver: clears all its failures. */
  @Post('endpoint/enable')
  @Summary('Takes a receiver back that was disabled or is left alone')
  @HttpCode(200)
  async enable(
    @Caller() { tenant }: Principal,
    @Body(new ValidBody(EndpointDto)) { endpoint }: EndpointDto,
  ): Promise<EndpointState> {
    await this.endpoints.enable({ tenant, origin: originOf(endpoint) });
    return this.endpoints.stateOf({ tenant, origin: originOf(endpoint) });
  }
}

function filterOf({ endpoint, taskId, ...times }: DeadLetterFilterDto, tenant: string): DeadLetterFilter {
  return {
    tenant,
    ...(endpoint === undefined ? {} : { origin: originOf(endpoint) }),
    ...(taskId === undefined ? {} : { taskId }),
    ...timesOf(times),
  };
}

function timesOf({ since = '', until = '' }: Pick<DeadLetterFilterDto, 'since' | 'until'>): DeadLetterFilter {
  const [from, to] = [readTimeOrDay(since), readTimeOrDay(until)];
  return { ...(from === undefined ? {} : { since: from }), ...(to === undefined ? {} : { until: to }) };
}

function originOf(endpoint: string): string {
  return new URL(endpoint).origin;
}
