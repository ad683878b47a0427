import { Body, Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { AgentCards } from '../../agents/card/agent-cards.js';
import { invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { cursorOf, pageToken } from '../../operations/page-token.js';
import { ardEntry } from '../../agents/card/ard/ard-documents.js';
import { readFilter, readFilterText } from '../../agents/card/ard/ard-filter.js';
import type { Listed } from '../entry/registry-entry.js';
import { REGISTRY_PATH } from '../registry.options.js';
import { Catalogs } from '../search/catalogs.js';
import { type Filter, FILTER_TERMS, type FilterTerm } from '../search/filter-terms.js';
import type { Principal } from '../../auth/principal.js';
import { REGISTRY_SCOPES } from '../registry.scopes.js';
import { Caller } from '../../http/guards/caller.guard.js';
import { PassportGuard } from '../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../http/guards/scope.guard.js';
import { Summary } from '../../http/params/summary.js';
import { ValidBody, ValidQuery } from '../../http/params/valid.pipes.js';
import { AgentListDto, ExploreDto, type FacetDto, SearchDto } from './dto/ard-query.dto.js';
import { identifierParam, noSuchAgent } from './registry-faults.js';
import { RegistryGuard } from './registry.guard.js';

const [DEFAULT_RESULTS, DEFAULT_ITEMS, DEFAULT_BUCKETS] = [10, 20, 20];

interface Page<T> {
  readonly items: readonly T[];
  readonly next: { readonly pageToken?: string };
}

/**
 * The registry by ARD 0.91 §5.3: approved agents of the caller's tenant that are visible to the caller. Invisible ones
 * are in no result, no count and no ranking, and a look-up answers as if they did not exist.
 */
@Controller('registry')
@UseGuards(PassportGuard, ScopeGuard, RegistryGuard)
@RequireScope(REGISTRY_SCOPES.read)
export class ArdController {
  constructor(
    private readonly catalogs: Catalogs,
    private readonly cards: AgentCards,
  ) {}

  @Post('search')
  @Summary('Searches agents by words, with filters; best first')
  @HttpCode(200)
  async search(@Caller() caller: Principal, @Body(new ValidBody(SearchDto)) body: SearchDto): Promise<JsonObject> {
    const { query, federation, pageSize = DEFAULT_RESULTS } = body;
    const catalog = await this.catalogs.of(caller.tenant);
    const found = catalog.search(caller.client, query.text, filterIn(query.filter));
    const page = paged(found, pageSize, body.pageToken, [caller.tenant, caller.client, query]);
    const source = `${this.cards.url()}${REGISTRY_PATH}`;
    return {
      results: page.items.map(({ listed, score }) => ({ ...shown(listed), score, source })),
      ...(federation === 'referrals' ? { referrals: [] } : {}),
      ...page.next,
    };
  }

  @Post('explore')
  @Summary('Counts the agents that fit, by the values of terms')
  @HttpCode(200)
  async explore(@Caller() caller: Principal, @Body(new ValidBody(ExploreDto)) body: ExploreDto): Promise<JsonObject> {
    const { query = {}, resultType } = body;
    const catalog = await this.catalogs.of(caller.tenant);
    const filter = filterIn(query.filter);
    const agents =
      query.text === undefined
        ? catalog.list(caller.client, filter)
        : catalog.search(caller.client, query.text, filter).map(({ listed }) => listed);
    const facets = resultType.facets.map(({ field, limit = DEFAULT_BUCKETS, minCount = 1 }: FacetDto, at: number) => {
      const buckets = catalog
        .buckets(agents, termIn(field, `resultType.facets[${String(at)}].field`))
        .filter(({ count }) => count >= minCount);
      const otherCount = buckets.slice(limit).reduce((sum, { count }) => sum + count, 0);
      return [field, { buckets: buckets.slice(0, limit), ...(otherCount === 0 ? {} : { otherCount }) }] as const;
    });
    return { resultType: 'facets', facets: Object.fromEntries(facets) };
  }

  @Get('agents')
  @Summary('Lists agents by name, or by words best first')
  async list(
    @Caller() caller: Principal,
    @Query(new ValidQuery(AgentListDto)) { pageToken: token, pageSize = DEFAULT_ITEMS, ...asked }: AgentListDto,
  ): Promise<JsonObject> {
    const catalog = await this.catalogs.of(caller.tenant);
    const filter = filterOf(asked);
    const found =
      asked.q === undefined
        ? catalog.list(caller.client, filter)
        : catalog.search(caller.client, asked.q, filter).map(({ listed }) => listed);
    const page = paged(found, pageSize, token, [caller.tenant, caller.client, asked]);
    return { items: page.items.map(shown), total: found.length, ...page.next };
  }

  /** One agent by its exact identifier. */
  @Get('agents/:identifier')
  @Summary('Reads an agent by its identifier')
  async retrieve(@Caller() caller: Principal, @Param('identifier') text: string): Promise<JsonObject> {
    const identifier = identifierParam(text);
    const listed = (await this.catalogs.of(caller.tenant)).find(caller.client, identifier);
    if (listed === undefined) throw noSuchAgent();
    return shown(listed);
  }
}

/**
 * An ARD entry with the registry's own data about the agent. Its texts come from the publisher: data, never
 * instruction.
 */
function shown({ entry, health }: Listed): JsonObject {
  const { identifier, url, listing, signature, updated } = entry;
  return {
    ...ardEntry(identifier, url, listing),
    updatedAt: updated,
    metadata: { health: health.state, signature, hash: entry.hash, content_trust: 'untrusted' },
  };
}

/** @throws A2AError InvalidParams */
function filterIn(value: JsonObject = {}): Filter {
  return readOr(readFilter(value, FILTER_TERMS), 'query.filter');
}

/** @throws A2AError InvalidParams */
function filterOf({ filter, skill, tag }: Pick<AgentListDto, 'filter' | 'skill' | 'tag'>): Filter {
  const read = filter === undefined ? [] : readOr(readFilterText(filter, FILTER_TERMS), 'filter');
  return new Map<FilterTerm, readonly string[]>([
    ...read,
    ...(skill === undefined ? [] : [['capabilities', [skill]] as const]),
    ...(tag === undefined ? [] : [['tags', [tag]] as const]),
  ]);
}

function readOr(filter: Filter | string, field: string): Filter {
  if (typeof filter === 'string') throw invalidParams([{ field, description: filter }]);
  return filter;
}

function termIn(name: string, field: string): FilterTerm {
  const term = FILTER_TERMS.find((one) => one === name);
  if (term === undefined) {
    throw invalidParams([{ field, description: `is unknown; known are ${FILTER_TERMS.join(', ')}` }]);
  }
  return term;
}

/** A page of results. A token is a position in the same query of the same caller. */
function paged<T>(found: readonly T[], size: number, token: string | undefined, madeFor: readonly unknown[]): Page<T> {
  const from = Number(cursorOf(token, madeFor) ?? 0);
  const to = from + size;
  return {
    items: found.slice(from, to),
    next: to < found.length ? { pageToken: pageToken(String(to), madeFor) } : {},
  };
}
