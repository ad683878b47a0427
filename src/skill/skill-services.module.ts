import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type FetchedFile, FileFetcher } from '@parley/sdk/skill/content/file-fetcher.js';
import {
  type IncomingAnswer,
  type OutgoingRequest,
  RequestFailed,
  SkillRequests,
} from '@parley/sdk/skill/requests/skill-request.js';
import { LeavesSimulation } from '@parley/sdk/skill/simulation/simulated-requests.js';
import { isInSimulation } from '@parley/sdk/skill/simulation/simulated-run.js';
import type { DtoClass } from '@parley/sdk/skill/skill.js';
import type { AllowEntry } from '../outbound/allow-list.js';
import { BlockedAddressError, EgressTimeoutError, EgressTransportError } from '../outbound/egress.errors.js';
import { DEFAULT_DEADLINES, GuardedClient } from '../outbound/guarded-client.js';

/**
 * Injectable for skills of all packs: their settings, and files behind URLs from callers.
 *
 * Global because modules of packs are written by others: they know these tokens, but not their module.
 */
@Global()
@Module({})
export class SkillServicesModule {
  /** @param allow addresses of the own network that skills may call */
  static forRoot(allow: readonly AllowEntry[], settings: ReadonlyMap<DtoClass, object>): DynamicModule {
    const rules = { ports: [443], allowHttp: false, allow };
    const client = new GuardedClient(rules);
    const requests = guardedRequests(new GuardedClient({ ...rules, deadlines: REQUEST_DEADLINES }));
    return {
      module: SkillServicesModule,
      providers: [
        { provide: FileFetcher, useValue: guardedFiles(client) },
        { provide: SkillRequests, useValue: requests },
        ...[...settings].map(([provide, useValue]) => ({ provide, useValue })),
      ],
      exports: [FileFetcher, SkillRequests, ...settings.keys()],
    };
  }
}

/** Without credentials, and only to allowed addresses (A2A-SEC-03). */
function guardedFiles(client: GuardedClient): FileFetcher {
  return {
    async fetch(url, { maxBytes, signal }): Promise<FetchedFile> {
      if (isInSimulation()) throw new LeavesSimulation();
      const { status, headers, body, truncated } = await client.request({ method: 'GET', url, maxBytes, signal });
      if (status !== 200) throw new Error(`The file's server answered ${String(status)}`);
      if (truncated) throw new Error(`The file has more than ${String(maxBytes)} bytes`);
      const mediaType = headers['content-type'];
      return { bytes: body, ...(mediaType === undefined ? {} : { mediaType }) };
    },
  };
}

/** A skill sets the limit of each request; this one applies to all. */
const REQUEST_DEADLINES = { ...DEFAULT_DEADLINES, headers: 300_000, total: 300_000 };

/** `context.fetch`: to public addresses by https, and to the addresses of EGRESS_ALLOW. */
function guardedRequests(client: GuardedClient): SkillRequests {
  return {
    async send({ maxBytes, body, ...request }: OutgoingRequest): Promise<IncomingAnswer> {
      if (isInSimulation()) throw new LeavesSimulation();
      const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : Buffer.from(body) };
      const answer = await client.request({ ...request, ...sent, maxBytes }).catch((error: unknown) => {
        throw faultOf(error, request.url);
      });
      if (answer.truncated) throw new RequestFailed('too-large', `The answer has more than ${String(maxBytes)} bytes`);
      return answer;
    },
  };
}

function faultOf(cause: unknown, url: string): unknown {
  const { origin = 'The address' } = URL.canParse(url) ? new URL(url) : {};
  if (cause instanceof BlockedAddressError) {
    const text = `${origin} may not be called (${cause.reason}): https to the Internet, or what EGRESS_ALLOW names`;
    return new RequestFailed('blocked', text, { cause });
  }
  const isUnsent =
    (cause instanceof EgressTransportError && ['dns', 'connect', 'tls'].includes(cause.code)) ||
    (cause instanceof EgressTimeoutError && ['dns', 'connect'].includes(cause.phase));
  if (isUnsent) return new RequestFailed('unreachable', `${origin} cannot be reached`, { cause });
  if (cause instanceof EgressTransportError || cause instanceof EgressTimeoutError) {
    return new RequestFailed('broken', `${origin} did not answer`, { cause });
  }
  return cause;
}
