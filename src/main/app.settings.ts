import type { ModelUsageLimits } from '@parley/protocol/extension/model-usage.js';
import type { ModelSettings } from '../models/model.settings.js';
import { readFileSync } from 'node:fs';
import { readCardFile } from '../agents/card/card-file.js';
import type { AgentDescription, CardFacts, CardOptions } from '../agents/card/card.options.js';
import { type CardSigningKeys, newCardSigningKeys, parseCardSigningKeys } from '../agents/card/card-signing-keys.js';
import { remoteAgents, toolServers } from './app.others.js';
import { authOptionsOf } from '../auth/auth.settings.js';
import { cardSecurity } from '../auth/card-security.js';
import { ENDPOINTS } from '../endpoints/endpoints.js';
import type { Endpoint, EndpointStart } from '../http/binding/endpoint.js';
import type { AuthOptions } from '../auth/auth-options.js';
import type { ConsoleOptions } from '../admin/console/console.options.js';
import type { Environment } from './app.environment.js';
import { projectPackage } from '../platform/config/project-package.js';
import { ofVariable } from '../platform/config/variables/of-variable.js';
import { type AllowEntry, parseAllowList } from '../outbound/allow-list.js';
import type { CallbackOptions } from '../remote-agents/callback/callbacks.js';
import type { RegistryModuleOptions } from '../registry/registry.module.js';
import type { RemoteOptions } from '../remote-agents/remote.module.js';
import { GuardedClient } from '../outbound/guarded-client.js';
import { readPolicy } from '../policy/policy-file.js';
import type { PolicyOptions } from '../policy/policy.options.js';
import type { PushModuleOptions } from '../webhooks/push.module.js';
import { PUSH_DEFAULTS } from '../webhooks/push.options.js';
import { keysOfDataFolder, secretOfDataFolder } from '../secrets/key-file.js';
import { isLoopbackHost } from '../auth/incoming/loopback.js';
import { type KeyRing, masterKeysOf, parseKeyRing } from '../secrets/key-ring.js';
import { SecretBox } from '../secrets/secret-box.js';
import type { ReplicaOptions } from '../platform/redis/replicas.js';
import type { ToolModuleOptions } from '../mcp-tools/tool.module.js';
import type { TaskOptions } from '../tasks/task.options.js';
import { taskOptionsOf } from '../tasks/task.settings.js';

/** Authentication settings. Throws an error that names the variable to change. */
export function authSettings(environment: Environment): AuthOptions {
  const doors = startedEndpoints(environment, '').flatMap(({ endpoint, start }) => endpoint.resource?.(start) ?? []);
  const options = authOptionsOf(environment, publicUrl(environment));
  return doors.length === 0 ? options : { ...options, doors };
}

/** An endpoint with its start options. */
interface StartedEndpoint {
  readonly endpoint: Endpoint;
  readonly start: EndpointStart;
}

/** The endpoints, each with its settings. */
export function startedEndpoints(environment: Environment, version: string): readonly StartedEndpoint[] {
  const shared = {
    ...{ version, host: environment.HOST, publicUrl: publicUrl(environment) },
    isUrlStated: environment.PUBLIC_URL !== undefined,
    keepMs: environment.KEEP_FINISHED_SECONDS * 1000,
    keys: () => keyRing(environment),
  };
  const sections: Readonly<Record<string, unknown>> = { ...environment };
  return ENDPOINTS.map((endpoint) => ({
    endpoint,
    start: { ...shared, settings: sections[endpoint.name] ?? {} },
  }));
}

function publicUrl({ PUBLIC_URL, HOST, PORT }: Environment): string {
  return PUBLIC_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${String(PORT)}`;
}

/**
 * Webhook settings; undefined if webhooks are disabled: processes of several roles must share the encryption keys, and
 * none are set.
 */
export function pushSettings(environment: Environment, version: string): PushModuleOptions | undefined {
  const ring = keyRing(environment);
  if (ring === undefined) return undefined;
  const allow = allowedAddresses(environment);
  return {
    options: {
      ...PUSH_DEFAULTS,
      keyPrefix: environment.KEY_PREFIX,
      userAgent: `parley/${version}`,
      issuer: publicUrl(environment),
      provesOwnership: environment.webhooks.challenge,
      drainMs: environment.DRAIN_MS,
      maxPerTask: environment.QUOTA_WEBHOOKS,
      masterKeys: masterKeysOf(ring),
    },
    client: new GuardedClient({ ports: [443, 8443], allowHttp: false, allow }),
    cipher: new SecretBox(ring),
  };
}

/** Settings of the agent card. Throws an error that names the variable to change. */
export function cardSettings(environment: Environment, version: string): CardOptions {
  const { PUBLIC_URL, GRPC_PUBLIC_ADDRESS } = environment;
  const auth = authSettings(environment);
  const facts = {
    pushNotifications: keyRing(environment) !== undefined,
    extendedAgentCard: auth.mode === 'required',
  };
  return {
    agent: agentDescription(environment, version, facts),
    facts,
    security: cardSecurity(auth),
    ...(PUBLIC_URL === undefined ? {} : { publicUrl: PUBLIC_URL.replace(/\/+$/, '') }),
    ...(GRPC_PUBLIC_ADDRESS === undefined ? {} : { grpcPublicAddress: GRPC_PUBLIC_ADDRESS }),
    signingKeys: cardSigningKeys(environment),
    entries: ENDPOINTS.flatMap((endpoint: Endpoint) => endpoint.card ?? []),
    ...(environment.MODEL_URL === undefined ? {} : { models: modelLimits(environment) }),
  };
}

/** Limits of a tree, and of a tenant per day, for callers. */
function modelLimits({ models }: Environment): ModelUsageLimits {
  const { treeTokens: tokens, treeCalls: calls, treeCost, tenantTokens, tenantCost } = models;
  const cost = treeCost === undefined ? {} : { cost: treeCost };
  const daily = {
    ...(tenantTokens === undefined ? {} : { tokens: tenantTokens }),
    ...(tenantCost === undefined ? {} : { cost: tenantCost }),
  };
  const ofTenant = Object.keys(daily).length === 0 ? {} : { daily };
  return { tokens, calls, ...cost, ...ofTenant };
}

/** A single process generates its own; several without configured ones sign nothing. */
function cardSigningKeys({ CARD_SIGNING_KEYS, ROLE, DATA_DIR }: Environment): CardSigningKeys {
  if (CARD_SIGNING_KEYS !== undefined)
    return ofVariable('CARD_SIGNING_KEYS', () => parseCardSigningKeys(CARD_SIGNING_KEYS));
  if (ROLE !== 'all') return [];
  const file = 'card-signing-keys.json';
  const own = secretOfDataFolder(DATA_DIR, file, newCardSigningKeys);
  return ofVariable(`DATA_DIR, ${file}`, () => parseCardSigningKeys(own));
}

/** The policy of the operator. Throws an error that names the variable and the member to change. */
export function policySettings({ POLICY_FILE: file }: Pick<Environment, 'POLICY_FILE'>): PolicyOptions {
  if (file === undefined) return {};
  return ofVariable(`POLICY_FILE ${file}`, () => ({ file, policy: readPolicy(readFileSync(file, 'utf8')) }));
}

function agentDescription({ CARD_FILE }: Environment, version: string, facts: CardFacts): AgentDescription {
  const usual = { name: 'Parley', description: 'An A2A agent service whose tasks survive crashes.', version };
  const defaults = { ...usual, ...projectPackage() };
  if (CARD_FILE === undefined) return defaults;
  return ofVariable(`CARD_FILE ${CARD_FILE}`, () => readCardFile(readFileSync(CARD_FILE, 'utf8'), defaults, facts));
}

/** Calls to the agents of AGENTS_FILE; undefined without the file. @throws ConfigError with a line per fault */
export function remoteSettings(environment: Environment): RemoteOptions | undefined {
  const { AGENTS_FILE, KEY_PREFIX: keyPrefix } = environment;
  if (AGENTS_FILE === undefined) return undefined;
  const agents = remoteAgents(environment);
  const callbacks = callbackSettings(environment);
  const allow = allowedAddresses(environment);
  return { agents, allow, keyPrefix, ...(callbacks === undefined ? {} : { callbacks }) };
}

/** The registry of other agents; undefined if it is disabled. */
export function registrySettings(environment: Environment): RegistryModuleOptions | undefined {
  const { agents: mostAgents, bytes: mostBytes, probeSeconds } = environment.registry;
  if (!environment.REGISTRY) return undefined;
  const probeMs = probeSeconds * 1000;
  return {
    options: { keyPrefix: environment.KEY_PREFIX, mostAgents, mostBytes, probeMs },
    allow: allowedAddresses(environment),
  };
}

/** Webhooks at other agents; undefined without agents or a public URL, or if processes have no common keys. */
export function callbackSettings(environment: Environment): CallbackOptions | undefined {
  const { PUBLIC_URL: url, AGENTS_FILE } = environment;
  const ring = keyRing(environment);
  if (AGENTS_FILE === undefined || url === undefined || ring === undefined) return undefined;
  return { url: url.replace(/\/+$/, ''), masterKeys: masterKeysOf(ring) };
}

/** Internal addresses that the service may call. Throws an error that names the variable. */
export function allowedAddresses({ EGRESS_ALLOW = '' }: Environment): readonly AllowEntry[] {
  return ofVariable('EGRESS_ALLOW', () => parseAllowList(EGRESS_ALLOW));
}

/** Calls to the tool servers of MCP_SERVERS_FILE. @throws ConfigError with a line per fault */
export function toolSettings(environment: Environment, version: string): ToolModuleOptions {
  const { MCP_SERVERS_FILE: file, KEY_PREFIX: keyPrefix } = environment;
  const servers = toolServers(environment);
  const ring = file === undefined ? undefined : keyRing(environment);
  return {
    ...{ servers, allow: allowedAddresses(environment), keyPrefix, client: { name: 'parley', version } },
    box: ring && new SecretBox(ring),
  };
}

/** The encryption keys of secrets; undefined if there are none. Throws an error that names the variable. */
export function keyRing({ SECRET_KEYS, ROLE, DATA_DIR }: Environment): KeyRing | undefined {
  if (SECRET_KEYS !== undefined) return ofVariable('SECRET_KEYS', () => parseKeyRing(SECRET_KEYS));
  return ROLE === 'all' ? parseKeyRing(keysOfDataFolder(DATA_DIR)) : undefined;
}

/** Whether the console is enabled: by default for this machine only, or with a login. */
export function hasConsole({ CONSOLE, CONSOLE_CLIENT_ID, HOST }: Environment): boolean {
  return CONSOLE === undefined ? CONSOLE_CLIENT_ID !== undefined || isLoopbackHost(HOST) : CONSOLE === 'on';
}

/** The options of the console; undefined if it is disabled. */
export function consoleSettings(environment: Environment, version: string): ConsoleOptions | undefined {
  const { CONSOLE_CLIENT_ID: clientId, CONSOLE_PLATFORM_CLIENTS = '' } = environment;
  if (!hasConsole(environment)) return undefined;
  const { traceUrl, logUrl } = environment.console;
  const { mode, issuers, resource, dpop = false } = authSettings(environment);
  const issuer = environment.JWT_ISSUER ?? issuers[0]?.issuer;
  const canLogIn = clientId !== undefined && issuer !== undefined;
  const code = canLogIn ? ({ kind: 'code', issuer, clientId, resource, dpop } as const) : ({ kind: 'key' } as const);
  return {
    ...{ version, ownership: environment.OWNERSHIP, keyPrefix: environment.KEY_PREFIX },
    login: mode === 'open' ? { kind: 'open' } : code,
    platformClients: CONSOLE_PLATFORM_CLIENTS.split(/[\s,]+/).filter(Boolean),
    ...{ hasRegistry: environment.REGISTRY, agents: remoteSettings(environment)?.agents ?? [] },
    allow: allowedAddresses(environment),
    ...(traceUrl === undefined ? {} : { traceUrl }),
    ...(logUrl === undefined ? {} : { logUrl }),
  };
}

/** Copies of a write that callers wait for. */
export function replicaSettings({ REDIS_WAIT_REPLICAS, redis: { waitMs } }: Environment): ReplicaOptions {
  return { replicas: REDIS_WAIT_REPLICAS, waitMs };
}

/** Retention of stored data, and limits of trees and tenants. */
export function retentionSettings({ tasks, models }: Environment): Partial<TaskOptions> {
  return { ...taskOptionsOf(tasks), ...modelBudgets(models) };
}

/** Limits of trees and tenants for language models. */
function modelBudgets({
  treeTokens,
  treeCalls,
  treeCost,
  tenantTokens,
  tenantCost,
}: ModelSettings): Partial<TaskOptions> {
  return {
    mostTreeTokens: treeTokens,
    mostTreeCalls: treeCalls,
    ...(treeCost === undefined ? {} : { mostTreeMicros: microsOf(treeCost) }),
    ...(tenantTokens === undefined ? {} : { mostTenantTokens: tenantTokens }),
    ...(tenantCost === undefined ? {} : { mostTenantMicros: microsOf(tenantCost) }),
  };
}

function microsOf(amount: number): number {
  return Math.round(amount * 1_000_000);
}
