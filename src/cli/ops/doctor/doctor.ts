import type { Environment } from '../../../main/app.environment.js';
import { projectPackage } from '../../../platform/config/project-package.js';
import { printableLine } from '@parley/protocol/json/printable.js';
import { urlOf } from '../../../platform/address/public-address.js';
import { type Output, table } from '../output.js';
import { checkAgents } from './agent-check.js';
import { checkCard, type ExpectedCard } from './card-check.js';
import { checkClients } from './client-check.js';
import { checkCollector } from './collector-check.js';
import { checkModels } from './model-check.js';
import { skillFaults } from '../../../main/skills-judge.js';
import { checkConfiguration, defaultSkillFault, idsOf } from '../../../main/configuration-check.js';
import { type Finding, fine, withStop } from '../../../main/finding.js';
import { acceptedFindings, publicAddresses } from '../../../main/app.settings.js';
import { checkIssuers } from './issuer-check.js';
import { checkExchanges } from './exchange-check.js';
import { checkEmbeddedRedis } from './embedded-redis-check.js';
import { packFinding, skillFindings } from './pack-finding.js';
import { checkRedis } from './redis-check.js';
import { runningServerUrl } from '../../../platform/redis/embedded/running-server.js';
import { checkSettings } from './settings-check.js';
import { checkStored } from './stored-check.js';
import { checkThrough } from './through-check.js';
import type { ThroughOptions } from './through-http.js';
import { checkToolServers } from './tool-server-check.js';
import { shownIds } from '../../../main/other-skills.js';

export interface DoctorOptions {
  /** The address of the service, if it is neither PUBLIC_URL nor this machine. */
  readonly url?: string;
  readonly version: string;
  /** A gateway before the service, to be compared with it. */
  readonly through?: Omit<ThroughOptions, 'direct'>;
  /** Contacts no service but Redis: neither issuers nor agents, tool servers, the model or the collector. */
  readonly isOffline?: boolean;
  /** Used instead of the environment of this process. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** The clock of this machine, ms since 1970. */
  readonly clock?: () => number;
}

const MARKS = { ok: 'ok', warn: 'WARN', fail: 'FAIL' } as const;

/** Runs all checks with these variables. `sick` if a check failed. */
export async function examine(options: DoctorOptions): Promise<Output & { readonly sick: boolean }> {
  const findings = await findingsOf(options);
  const sick = findings.some(({ severity }) => severity === 'fail');
  const rows = findings.map(({ severity, check, text }) => [MARKS[severity], check, text]);
  const fixes = findings.flatMap(({ text, fix }) =>
    fix === undefined ? [] : [`- ${printableLine(withStop(text))}\n  ${printableLine(withStop(fix))}`],
  );
  const toDo = fixes.length === 0 ? '\nAll checks passed.' : `\nTo do:\n${fixes.join('\n')}`;
  return { json: { sick, findings }, text: `${table(['', 'check', 'found'], rows)}\n${toDo}`, sick };
}

async function findingsOf(options: DoctorOptions): Promise<readonly Finding[]> {
  const { url, version, variables, clock, isOffline = false, through } = options;
  const { environment, skills, findings } = await checkConfiguration(variables);
  if (environment === undefined || skills === undefined) return findings;
  const ids = [...idsOf(skills), ...shownIds(environment)];
  const skill = defaultSkillFault(environment.DEFAULT_SKILL, ids);
  const { HOST, PORT, REDIS_URL, DATA_DIR, KEY_PREFIX } = environment;
  const publicUrl = publicAddresses(environment)[0]?.url;
  const redisUrl = REDIS_URL ?? (await runningServerUrl(DATA_DIR));
  const here = urlOf({ address: HOST, port: PORT });
  const expected = { ...expectedCard(environment), version: projectPackage()?.version ?? version, skills: ids };
  const settings = await checkSettings(environment, callersAreKnown(environment));
  const canOpen = settings.every(({ text }) => !text.startsWith('SECRET_KEYS'));
  const [redis, stored, others, doors] = await Promise.all([
    REDIS_URL === undefined
      ? checkEmbeddedRedis(redisUrl, DATA_DIR)
      : checkRedis(REDIS_URL, { keyPrefix: KEY_PREFIX, accept: acceptedFindings(environment), clock }),
    redisUrl === undefined || !canOpen ? [] : checkStored(redisUrl, environment),
    isOffline ? [fine('others', 'Not asked: --offline')] : checkOthers(environment, publicUrl ?? here),
    Promise.all([
      checkCard(url ?? publicUrl ?? here, expected),
      through === undefined ? [] : checkThrough({ ...through, direct: (url ?? here).replace(/\/+$/, '') }),
    ]),
  ]);
  const packs = [...skills.packs.map(packFinding), ...skillFindings(await skillFaults(environment, skills))];
  return withoutRepetitions([
    ...findings,
    ...packs,
    ...(skill === undefined ? [] : [skill]),
    ...settings,
    ...redis,
    ...stored,
    ...others,
    ...doors.flat(),
  ]);
}

function expectedCard(environment: Environment): Partial<ExpectedCard> {
  const { SECRET_KEYS, ROLE } = environment;
  const publicUrls = publicAddresses(environment).map(({ url }) => url);
  return {
    publicUrls,
    // A process with ROLE=all creates its own keys, unknown to other processes.
    ...(ROLE === 'all' ? {} : { webhooks: SECRET_KEYS !== undefined }),
  };
}

/** Checks every other service named by these variables. */
async function checkOthers(environment: Environment, publicUrl: string): Promise<readonly Finding[]> {
  const found = await Promise.all([
    checkToolServers(environment),
    checkAgents(environment),
    checkExchanges(environment),
    checkClients(environment),
    checkModels(environment),
    checkIssuers(environment, publicUrl),
    checkCollector(environment),
  ]);
  return found.flat();
}

/** Reports a fault found by two checks once. */
function withoutRepetitions(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ text }, at) => findings.findIndex((other) => other.text === text) === at);
}

function callersAreKnown({ JWT_ISSUER, auth: { issuers }, API_KEYS }: Environment): boolean {
  return JWT_ISSUER !== undefined || issuers !== undefined || API_KEYS !== undefined;
}
