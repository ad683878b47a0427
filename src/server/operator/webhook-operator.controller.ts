import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CallerGate } from '../../security/auth/caller.gate.js';
import { OPERATE_WEBHOOKS } from '../../security/auth/scopes.js';
import { readJson } from '../http/request-body.js';
import { validParams } from '../../operation/validate.js';
import type { DeadLetter } from '../../push/dead-letter/dead-letter.store.js';
import { type DeadLetterFilter, DeadLetterStore } from '../../push/dead-letter/dead-letter.store.js';
import { type EndpointState, EndpointStore } from '../../push/endpoint/endpoint.store.js';
import { DeadLetterFilterDto } from './dto/dead-letter-filter.dto.js';
import { EndpointDto } from './dto/endpoint.dto.js';

const USUAL_LIMIT = 100;

/** Operator API with its own scope: dead letters and receivers of the caller's tenant. */
@Controller('webhooks')
export class WebhookOperatorController {
  constructor(
    private readonly gate: CallerGate,
    private readonly letters: DeadLetterStore,
    private readonly endpoints: EndpointStore,
  ) {}

  /** Newest first. */
  @Get('dead-letters')
  async list(@Req() request: FastifyRequest): Promise<{ readonly deadLetters: readonly DeadLetter[] }> {
    const tenant = await this.tenantOf(request);
    const filter = await validParams(DeadLetterFilterDto, request.query);
    return { deadLetters: await this.letters.list(filterOf(filter, tenant), filter.limit ?? USUAL_LIMIT) };
  }

  /** Redrives dead letters, oldest first. */
  @Post('redrive')
  @HttpCode(200)
  async redrive(@Req() request: FastifyRequest): Promise<{ readonly revived: number; readonly gone: number }> {
    const tenant = await this.tenantOf(request);
    const filter = await validParams(DeadLetterFilterDto, readJson(request.body));
    return this.letters.redrive(filterOf(filter, tenant), filter.limit ?? USUAL_LIMIT);
  }

  @Get('endpoint')
  async endpoint(@Req() request: FastifyRequest): Promise<EndpointState> {
    const tenant = await this.tenantOf(request);
    const { endpoint } = await validParams(EndpointDto, request.query);
    return this.endpoints.stateOf({ tenant, origin: originOf(endpoint) });
  }

  /** Takes a receiver back that was disabled or is left alone: all its failures are forgotten. */
  @Post('endpoint/enable')
  @HttpCode(200)
  async enable(@Req() request: FastifyRequest): Promise<EndpointState> {
    const tenant = await this.tenantOf(request);
    const { endpoint } = await validParams(EndpointDto, readJson(request.body));
    await this.endpoints.enable({ tenant, origin: originOf(endpoint) });
    return this.endpoints.stateOf({ tenant, origin: originOf(endpoint) });
  }

  /** @throws AuthError for callers without the operator scope */
  private async tenantOf(request: FastifyRequest): Promise<string> {
    const principal = await this.gate.admitHttp(request);
    this.gate.requireScopes(principal, [OPERATE_WEBHOOKS]);
    return principal.tenant;
  }
}

function filterOf({ endpoint, taskId, since, until }: DeadLetterFilterDto, tenant: string): DeadLetterFilter {
  return {
    tenant,
    ...(endpoint === undefined ? {} : { origin: originOf(endpoint) }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(since === undefined ? {} : { since: Date.parse(since) }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
  };
}

function originOf(endpoint: string): string {
  return new URL(endpoint).origin;
}
