import { Body, Controller, Delete, Get, Param, Put, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { PublisherKeys } from '../publisher-keys.js';
import { RegistryStore } from '../store/registry.store.js';
import type { Principal } from '../../auth/principal.js';
import { REGISTRY_SCOPES } from '../registry.scopes.js';
import { ActionAudit, Audited } from '../../http/guards/action-audit.interceptor.js';
import { Caller } from '../../http/guards/caller.guard.js';
import { PassportGuard } from '../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../http/guards/scope.guard.js';
import { Summary } from '../../http/params/summary.js';
import { ValidBody, ValidQuery } from '../../http/params/valid.pipes.js';
import { KeysDto, LogPageDto } from './dto/entry.dto.js';
import { entryAfter } from './registry-faults.js';
import { RegistryGuard } from './registry.guard.js';

const DEFAULT_EVENTS = 100;
const HOST = /^[a-z0-9.-]{1,253}$/;

/** The trust and history of the tenant's registry: the pinned keys of publishers, and the log of actions. */
@Controller('registry')
@UseGuards(PassportGuard, ScopeGuard, RegistryGuard)
@UseInterceptors(ActionAudit)
@RequireScope(REGISTRY_SCOPES.curate)
export class RegistryLogController {
  constructor(
    private readonly store: RegistryStore,
    private readonly keys: PublisherKeys,
  ) {}

  /** Oldest first, with the digest of the last event: the log is complete if its digests lead there. */
  @Get('log')
  @Summary('Lists what was done in the registry, oldest first')
  async log(
    @Caller() { tenant }: Principal,
    @Query(new ValidQuery(LogPageDto)) { after = 0, limit = DEFAULT_EVENTS }: LogPageDto,
  ): Promise<JsonObject> {
    // Reads the head first: events added meanwhile are on the next page.
    const head = await this.store.head(tenant);
    const events = await this.store.events(tenant, after, limit);
    return { events: events.filter(({ seq }) => seq <= head.seq), head };
  }

  @Get('publishers')
  @Summary('Lists the publishers with pinned keys')
  async list(@Caller() { tenant }: Principal): Promise<JsonObject> {
    return { publishers: await this.store.publishers(tenant) };
  }

  /** Replaces the keys that may sign a publisher's cards. */
  @Put('publishers/:publisher')
  @Summary('Pins the public keys of a publisher')
  @Audited('registry.pin-key')
  async pin(
    @Caller() caller: Principal,
    @Param('publisher') publisher: string,
    @Body(new ValidBody(KeysDto)) { keys }: KeysDto,
  ): Promise<JsonObject> {
    entryAfter(await this.keys.pin(caller, hostIn(publisher), keys));
    return {};
  }

  @Delete('publishers/:publisher')
  @Summary('Removes the pinned keys of a publisher')
  @Audited('registry.remove-key')
  async remove(@Caller() caller: Principal, @Param('publisher') publisher: string): Promise<JsonObject> {
    entryAfter(await this.keys.remove(caller, hostIn(publisher)));
    return {};
  }
}

function hostIn(publisher: string): string {
  const host = publisher.toLowerCase();
  if (!HOST.test(host)) throw invalidParams([{ field: 'publisher', description: 'must be a host name' }]);
  return host;
}
