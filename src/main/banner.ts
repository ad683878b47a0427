import { enabledFeatures, publicAddresses } from './app.settings.js';
import type { Environment } from './app.environment.js';
import { withoutCredentials } from '../platform/config/checks/redis-address.js';
import type { EmbeddedRedis } from '../platform/redis/embedded/embedded-redis.js';
import { DEFAULT_SKILL_ID } from './app.skills.js';
import type { Part } from '@parley/protocol/model/message.js';
import { skillSchemaOf } from '@parley/sdk/skill/contract/skill-schema.js';
import { exampleOf } from '@parley/sdk/skill/simulation/example-value.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';

export interface BannerFacts {
  readonly address: string;
  readonly environment: Environment;
  readonly redis: EmbeddedRedis | undefined;
  readonly skills: readonly SkillOptions[];
  readonly version: string;
}

/** The text at start for the operator: addresses, storage, authentication, and a first call that works as printed. */
export function bannerText({ address, environment, redis, skills, version }: BannerFacts): string {
  const serves = environment.ROLE === 'all' || environment.ROLE === 'api';
  const lines = [
    `Parley ${version}`,
    '',
    ...row('role', environment.ROLE),
    ...(serves ? row('agent', `${address}/`) : []),
    ...(serves ? row('card', `${address}/.well-known/agent-card.json`) : []),
    ...(serves ? pages(environment, version).flatMap(([name, path]) => row(name, `${address}${path}`)) : []),
    ...row('health', `${address}/health/ready`),
    ...row('storage', storageText(environment, redis)),
    ...(serves ? row('callers', callers(environment)) : []),
    ...(environment.AGENTS_FILE === undefined ? [] : row('agents', agents(environment))),
    ...row('skills', skills.map(({ id }) => id).join(', ')),
    ...(serves && isOpen(environment) ? ['', 'Try it:', '', ...firstCall(address, skills, environment)] : []),
  ];
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}

function row(name: string, value: string): readonly string[] {
  return [`${name.padEnd(9)}${value}`];
}

/** The pages of features for people. */
function pages(environment: Environment, version: string): readonly (readonly [string, string])[] {
  return enabledFeatures(environment, version).flatMap(({ feature, start }) => {
    const path = feature.page?.(start);
    return path === undefined ? [] : [[feature.name, path] as const];
  });
}

/** The storage of tasks, and whether they survive the process. */
export function storageText({ REDIS_URL }: Environment, redis: EmbeddedRedis | undefined): string {
  if (redis === undefined) return `Redis at ${withoutCredentials(REDIS_URL ?? '')}`;
  if (redis.durable) return `embedded Redis ${redis.version}, tasks are stored in ${redis.dataDir}`;
  return 'IN MEMORY ONLY: tasks are lost when this process ends (install redis-server or set REDIS_URL to keep them)';
}

/** Whether agents of other services report changes of their tasks, or are polled. */
function agents(environment: Environment): string {
  const url = publicAddresses(environment)[0]?.url;
  const how = url === undefined ? 'are polled: PUBLIC_URL is not set' : `report to ${url}/callbacks/`;
  return `those of ${environment.AGENTS_FILE ?? ''} ${how}`;
}

function isOpen({ JWT_ISSUER, auth: { issuers }, API_KEYS }: Environment): boolean {
  return JWT_ISSUER === undefined && issuers === undefined && API_KEYS === undefined;
}

function callers({ JWT_ISSUER, auth: { issuers }, API_KEYS }: Environment): string {
  const ways = [
    ...(JWT_ISSUER === undefined ? [] : [`a token of ${JWT_ISSUER}`]),
    ...(issuers === undefined ? [] : ['a token of one of auth.issuers']),
    ...(API_KEYS === undefined ? [] : ['an API key']),
  ];
  return ways.length === 0
    ? 'no authentication: only this machine can call'
    : `must authenticate with ${ways.join(' or ')}`;
}

/** A call of the default skill, else of the first one, with valid input. */
function firstCall(
  address: string,
  skills: readonly SkillOptions[],
  { DEFAULT_SKILL = DEFAULT_SKILL_ID }: Environment,
): readonly string[] {
  const skill = skills.find(({ id }) => id === DEFAULT_SKILL) ?? skills[0];
  if (skill === undefined) return [];
  const parts = JSON.stringify([exampleInput(skill)]).replaceAll("'", String.raw`'\''`);
  const metadata = skill.id === DEFAULT_SKILL ? '' : `,"metadata":{"skillId":"${skill.id}"}`;
  const params = `{"message":{"messageId":"'$RANDOM$RANDOM'","role":"ROLE_USER","parts":${parts}}${metadata}}`;
  return [
    `curl -s ${address}/ -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' ` +
      `-d '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}'`,
  ];
}

/** A valid part for the contract of a skill. */
function exampleInput(skill: SkillOptions): Part {
  const { input } = skillSchemaOf(skill);
  if (input !== undefined && !acceptsText(skill)) return { data: exampleOf(input) };
  return { text: skill.id === DEFAULT_SKILL_ID ? 'Hello' : (skill.examples?.[0] ?? 'Hello') };
}

function acceptsText({ inputModes = ['text/plain'] }: SkillOptions): boolean {
  return inputModes.some((mode) => mode === '*/*' || mode.startsWith('text/'));
}
