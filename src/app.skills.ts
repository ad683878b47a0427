import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { otherSkills } from './app.others.js';
import { allowedAddresses } from './app.settings.js';
import { ConfigError } from './platform/config/config-error.js';
import type { Environment } from './app.environment.js';
import { settingsOf, variableNamesOf } from './platform/config/settings/settings.js';
import type { Variables } from './platform/config/variables/secret-files.js';
import { modelSettings } from './app.models.js';
import { ModelModule } from './model/model.module.js';
import type { ModelOptions } from './model/model.options.js';
import { BlockedAddressError, EgressTimeoutError, EgressTransportError } from './security/egress/egress.errors.js';
import { DEFAULT_DEADLINES, GuardedClient } from './security/egress/guarded-client.js';
import { type FetchedFile, FileFetcher } from '@parley/sdk/skill/content/file-fetcher.js';
import {
  type IncomingAnswer,
  type OutgoingRequest,
  RequestFailed,
  SkillRequests,
} from '@parley/sdk/skill/requests/skill-request.js';
import { LeavesSimulation } from '@parley/sdk/skill/simulation/simulated-requests.js';
import { isInSimulation } from '@parley/sdk/skill/simulation/simulated-run.js';
import { loadPacks } from './skill/pack/load-packs.js';
import type { SkillPack } from './skill/pack/skill-pack.js';
import type { DtoClass, SkillHandler } from '@parley/sdk/skill/skill.js';
import { SkillModule } from './skill/skill.module.js';

/** Gets messages without a skill id, where it is loaded and DEFAULT_SKILL is not set. */
export const DEFAULT_SKILL_ID = 'echo';

/** The skills of this process and their settings. */
export interface LoadedSkills {
  readonly packs: readonly SkillPack[];
  /** An instance of each settings class, with checked values. */
  readonly settings: ReadonlyMap<DtoClass, object>;
}

/** @throws SkillPackError, or ConfigError with a line for each variable that is wrong */
export async function loadSkills(environment: Environment, variables?: Variables): Promise<LoadedSkills> {
  const packs = await loadPacks(packNames(environment));
  const settings = new Map(settingsClasses(packs).map((type) => [type, settingsOf(type, variables)]));
  return { packs, settings };
}

/** The modules of skills, and of all that skills may inject: the start and the judge of a start make the same. */
export function skillModules(
  environment: Environment,
  skills: LoadedSkills,
  overrides: SkillOverrides = {},
): readonly DynamicModule[] {
  const others = otherSkills(environment);
  return [
    overrides.skills === undefined
      ? SkillModule.forPacks(skills.packs, others)
      : SkillModule.forSkills(overrides.skills, { others }),
    SkillServicesModule.forRoot(environment, skills),
    ModelModule.forRoot({ ...modelSettings(environment), ...overrides.model }),
  ];
}

/** Replaces the packs of SKILLS and the model of MODEL_URL. */
export interface SkillOverrides {
  readonly skills?: readonly Type<SkillHandler>[] | undefined;
  readonly model?: Partial<ModelOptions> | undefined;
}

/** Packs with settings as far as the variables have them: a build knows no secrets. */
export function withKnownSettings(packs: readonly SkillPack[]): LoadedSkills & { readonly areComplete: boolean } {
  const settings = new Map<DtoClass, object>();
  let areComplete = true;
  for (const type of settingsClasses(packs)) {
    try {
      settings.set(type, settingsOf(type));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      areComplete = false;
      settings.set(type, new type());
    }
  }
  return { packs, settings, areComplete };
}

/** The names of the variables that packs of skills read. */
export function skillVariables(packs: readonly SkillPack[]): readonly string[] {
  return settingsClasses(packs).flatMap(variableNamesOf);
}

function settingsClasses(packs: readonly SkillPack[]): readonly DtoClass[] {
  return packs.flatMap(({ settings }) => settings);
}

/** Undefined: all that come with the service. */
function packNames({ SKILLS }: Environment): readonly string[] | undefined {
  const names = SKILLS?.split(',').map((name) => name.trim());
  return names?.filter((name) => name !== '');
}

/**
 * What skills of all packs may inject: their settings, and files behind addresses that callers name.
 *
 * Global because modules of packs are written by others: they know these tokens, and not which module has them.
 */
@Global()
@Module({})
export class SkillServicesModule {
  static forRoot(environment: Environment, { settings }: LoadedSkills): DynamicModule {
    const rules = { ports: [443], allowHttp: false, allow: allowedAddresses(environment) };
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

/** A skill sets the limit of each request; this one is for all. */
const REQUEST_DEADLINES = { ...DEFAULT_DEADLINES, headers: 300_000, total: 300_000 };

/** `context.fetch`: to the Internet by https, and to what EGRESS_ALLOW names. */
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
