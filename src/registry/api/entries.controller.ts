import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { cursorOf, pageToken } from '../../operations/page-token.js';
import type { Listed, RegistryEntry, Visibility } from '../entry/registry-entry.js';
import { Registrations } from '../registrations.js';
import { RegistryStore } from '../store/registry.store.js';
import type { Principal } from '../../auth/principal.js';
import { missingScope } from '../../auth/scopes.js';
import { REGISTRY_SCOPES } from '../registry.scopes.js';
import { QuotaStore } from '../../limits/quotas/quota.store.js';
import { ActionAudit, Audited } from '../../http/guards/action-audit.interceptor.js';
import { Caller } from '../../http/guards/caller.guard.js';
import { PassportGuard } from '../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../http/guards/scope.guard.js';
import { Summary } from '../../http/params/summary.js';
import { ValidBody, ValidQuery } from '../../http/params/valid.pipes.js';
import { ApprovalDto, EntryListDto, ReasonDto, RegistrationDto, VisibilityDto } from './dto/entry.dto.js';
import { entryAfter, identifierParam, noSuchAgent } from './registry-faults.js';
import { RegistryGuard } from './registry.guard.js';

const DEFAULT_ITEMS = 20;

/** An agent with its state and health, for its owner and the curators. */
type EntryView = RegistryEntry & { readonly health: Listed['health'] };

/**
 * Management of the registry: callers propose agents and remove their own, curators decide about all of their tenant.
 */
@Controller('registry/entries')
@UseGuards(PassportGuard, ScopeGuard, RegistryGuard)
@UseInterceptors(ActionAudit)
@RequireScope(REGISTRY_SCOPES.curate)
export class EntriesController {
  constructor(
    private readonly registrations: Registrations,
    private readonly store: RegistryStore,
    private readonly quotas: QuotaStore,
  ) {}

  /** Proposes an agent: it is invisible until a curator approves it. */
  @Post()
  @Summary('Proposes an agent, or reads the card of an own one again')
  @HttpCode(200)
  @RequireScope(REGISTRY_SCOPES.register)
  @Audited('registry.register')
  async register(
    @Caller() caller: Principal,
    @Body(new ValidBody(RegistrationDto)) { url, identifier, ...shown }: RegistrationDto,
  ): Promise<JsonObject> {
    this.quotas.requireStorage();
    const outcome = await this.registrations.register(caller, { url, identifier, visibility: visibilityOf(shown) });
    return { entry: entryAfter(outcome) };
  }

  /** Own agents; for curators those of the whole tenant. */
  @Get()
  @Summary('Lists agents in all states, by identifier')
  @RequireScope(REGISTRY_SCOPES.register)
  async list(
    @Caller() caller: Principal,
    @Query(new ValidQuery(EntryListDto)) { pageToken: token, pageSize = DEFAULT_ITEMS, ...asked }: EntryListDto,
  ): Promise<JsonObject> {
    const madeFor = [caller.tenant, caller.client, asked];
    const after = cursorOf(token, madeFor) ?? '';
    const identifiers = [...(await this.store.identifiers(caller.tenant))].sort().filter((one) => one > after);
    const items: EntryView[] = [];
    for await (const batch of this.store.listed(caller.tenant, identifiers)) {
      for (const [, listed] of batch)
        if (listed !== undefined && isAsked(listed, caller, asked)) items.push(viewOf(listed));
      if (items.length > pageSize) break;
    }
    const page = items.slice(0, pageSize);
    const last = page.at(-1);
    const hasMore = items.length > pageSize && last !== undefined;
    return { items: page, ...(hasMore ? { pageToken: pageToken(last.identifier, madeFor) } : {}) };
  }

  /** With both cards: the served one, and the one that waits for an approval. */
  @Get(':identifier')
  @Summary('Reads an agent in any state, with its cards')
  @RequireScope(REGISTRY_SCOPES.register)
  async read(@Caller() caller: Principal, @Param('identifier') text: string): Promise<JsonObject> {
    const identifier = identifierParam(text);
    const known = await this.store.read(caller.tenant, identifier);
    if (known === undefined || !maySee(known.entry, caller)) throw noSuchAgent();
    const [health, { served, pending }] = await Promise.all([
      this.store.healthOf(caller.tenant, identifier),
      this.store.cards(caller.tenant, identifier),
    ]);
    return {
      entry: viewOf({ entry: known.entry, health }),
      ...(served === undefined ? {} : { card: JSON.parse(served) as JsonObject }),
      ...(pending === undefined ? {} : { pendingCard: JSON.parse(pending) as JsonObject }),
    };
  }

  @Post(':identifier/approve')
  @Summary('Approves an agent with the card that the caller has seen')
  @HttpCode(200)
  @Audited('registry.approve')
  async approve(
    @Caller() caller: Principal,
    @Param('identifier') text: string,
    @Body(new ValidBody(ApprovalDto)) { hash }: ApprovalDto,
  ): Promise<JsonObject> {
    return { entry: entryAfter(await this.registrations.approve(caller, identifierParam(text), hash)) };
  }

  @Post(':identifier/suspend')
  @Summary('Hides an agent until it is approved again')
  @HttpCode(200)
  @Audited('registry.suspend')
  async suspend(
    @Caller() caller: Principal,
    @Param('identifier') text: string,
    @Body(new ValidBody(ReasonDto)) { reason }: ReasonDto,
  ): Promise<JsonObject> {
    return { entry: entryAfter(await this.registrations.suspend(caller, identifierParam(text), reason)) };
  }

  /** Own agents; for curators those of the whole tenant. */
  @Post(':identifier/retire')
  @Summary('Removes an agent')
  @HttpCode(200)
  @RequireScope(REGISTRY_SCOPES.register)
  @Audited('registry.retire')
  async retire(
    @Caller() caller: Principal,
    @Param('identifier') text: string,
    @Body(new ValidBody(ReasonDto)) { reason }: ReasonDto,
  ): Promise<JsonObject> {
    entryAfter(await this.registrations.retire(caller, identifierParam(text), reason, isCurator(caller)));
    return {};
  }

  /** Own agents; for curators those of the whole tenant. */
  @Post(':identifier/refresh')
  @Summary('Reads the card of an agent again')
  @HttpCode(200)
  @RequireScope(REGISTRY_SCOPES.register)
  @Audited('registry.refresh')
  async refresh(@Caller() caller: Principal, @Param('identifier') text: string): Promise<JsonObject> {
    return { entry: entryAfter(await this.registrations.refresh(caller, identifierParam(text), isCurator(caller))) };
  }

  @Put(':identifier/visibility')
  @Summary('Says who finds an agent')
  @Audited('registry.visibility')
  async show(
    @Caller() caller: Principal,
    @Param('identifier') text: string,
    @Body(new ValidBody(VisibilityDto)) shown: VisibilityDto,
  ): Promise<JsonObject> {
    return { entry: entryAfter(await this.registrations.show(caller, identifierParam(text), visibilityOf(shown))) };
  }
}

function isCurator(caller: Principal): boolean {
  return missingScope(caller, [REGISTRY_SCOPES.curate]) === undefined;
}

function maySee({ owner }: RegistryEntry, caller: Principal): boolean {
  return owner === caller.client || isCurator(caller);
}

function isAsked({ entry }: Listed, caller: Principal, { state, pending }: EntryListDto): boolean {
  const hasState = state === undefined || entry.state === state;
  const fitsPending = pending === undefined || (entry.pending !== undefined) === (pending === 'true');
  return maySee(entry, caller) && hasState && fitsPending;
}

function viewOf({ entry, health }: Listed): EntryView {
  return { ...entry, health };
}

function visibilityOf({ visibility, clients = [] }: VisibilityDto): Visibility {
  return visibility === 'clients' ? { kind: 'clients', clients } : { kind: 'tenant' };
}
