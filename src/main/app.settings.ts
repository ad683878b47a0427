import type { ModelUsageLimits } from '@parley/protocol/extension/model-usage.js';
import type { ModelSettings } from '../models/model.settings.js';
import { readFileSync } from 'node:fs';
import { readCardFile } from '../agents/card/card-file.js';
import type { AgentDescription, CardFacts, CardOptions } from '../agents/card/card.options.js';
import { type CardSigningKeys, newCardSigningKeys, parseCardSigningKeys } from '../agents/card/card-signing-keys.js';
import { remoteAgents, toolServers } from './app.others.js';
import { authOptionsOf } from '../auth/auth.settings.js';
import { cardSecurity } from '../auth/card-security.js';
import { scopeDescriptions } from '../auth/scopes.js';
import { FEATURES } from './app.features.js';
import type { EnabledFeature, Feature } from '../http/binding/feature.js';
import type { AuthOptions } from '../auth/auth-options.js';
import type { Environment } from './app.environment.js';
import { projectPackage } from '../platform/config/project-package.js';
import { ofVariable } from '../platform/config/variables/of-variable.js';
import { type AllowEntry, parseAllowList } from '../outbound/allow-list.js';
import type { CallbackOptions } from '../remote-agents/callback/callbacks.js';
import type { RemoteOptions } from '../remote-agents/remote.module.js';
import { GuardedClient } from '../outbound/guarded-client.js';
import { readPolicy } from '../policy/policy-file.js';
import type { PolicyOptions } from '../policy/policy.options.js';
import type { PushModuleOptions } from '../webhooks/push.module.js';
import { PUSH_DEFAULTS } from '../webhooks/push.options.js';
import { keysOfDataFolder, secretOfDataFolder } from '../secrets/key-file.js';
import { type KeyRing, masterKeysOf, parseKeyRing } from '../secrets/key-ring.js';
import { SecretBox } from '../secrets/secret-box.js';
import { type ListedAddress, readAddresses, readGrpcServers } from '../platform/address/listed-address.js';
import type { ReplicaOptions } from '../platform/redis/replicas.js';
import type { ToolModuleOptions } from '../mcp-tools/tool.module.js';
import type { TaskOptions } from '../tasks/task.options.js';
import { taskOptionsOf } from '../tasks/task.settings.js';

/** Authentication settings. Throws an error that names the variable to change. */
export function authSettings(environment: Environment): AuthOptions {
  const features = enabledFeatures(environment, '');
  const resources = features.flatMap(({ feature, start }) => feature.resource?.(start) ?? []);
  const scopes = Object.fromEntries(features.flatMap(({ feature }) => Object.entries(feature.scopes ?? {})));
  const options = { ...authOptionsOf(environment, publicUrl(environment), publicAddresses(environment)), scopes };
  return resources.length === 0 ? options : { ...options, resources };
}

/** The features that the settings enable, each with its settings. */
export function enabledFeatures(environment: Environment, version: string): readonly EnabledFeature[] {
  const shared = {
    ...{ version, host: environment.HOST, publicUrl: publicUrl(environment) },
    addresses: publicAddresses(environment),
    keyPrefix: environment.KEY_PREFIX,
    keepMs: environment.KEEP_FINISHED_SECONDS * 1000,
    ownership: environment.OWNERSHIP,
    keys: () => keyRing(environment),
    auth: () => authSettings(environment),
    allow: () => allowedAddresses(environment),
    features: () => enabledFeatures(environment, version).map(({ feature }) => feature.name),
  };
  const sections: Readonly<Record<string, unknown>> = { ...environment };
  return FEATURES.map((feature: Feature) => ({
    feature,
    start: { ...shared, settings: sections[feature.name] ?? {} },
  })).filter(({ feature, start }) => feature.isOn?.(start) ?? true);
}

/** The addresses of PUBLIC_URL, the default first. */
export function publicAddresses({ PUBLIC_URL, GRPC_PUBLIC_ADDRESS }: Environment): readonly ListedAddress[] {
  return ofVariable('PUBLIC_URL', () => readAddresses(PUBLIC_URL, GRPC_PUBLIC_ADDRESS));
}

function publicUrl(environment: Environment): string {
  const { HOST, PORT } = environment;
  return publicAddresses(environment)[0]?.url ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${String(PORT)}`;
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
    client: new GuardedClient({ ports: [443, 8443], allowHttp: false, allow, deadlines: PUSH_DEFAULTS.deadlines }),
    cipher: new SecretBox(ring),
  };
}

/** Settings of the agent card. Throws an error that names the variable to change. */
export function cardSettings(environment: Environment, version: string): CardOptions {
  const [grpcPublicAddress] = readGrpcServers(environment.GRPC_PUBLIC_ADDRESS);
  const auth = authSettings(environment);
  const facts = {
    pushNotifications: keyRing(environment) !== undefined,
    extendedAgentCard: auth.mode === 'required',
  };
  return {
    agent: agentDescription(environment, version, facts),
    facts,
    security: cardSecurity(auth),
    scopes: Object.keys(scopeDescriptions(auth.scopes)),
    addresses: publicAddresses(environment),
    ...(grpcPublicAddress === undefined ? {} : { grpcPublicAddress }),
    signingKeys: cardSigningKeys(environment),
    entries: enabledFeatures(environment, version).flatMap(({ feature }) => feature.card ?? []),
    ...(environment.MODEL_URL === undefined && environment.MODELS_FILE === undefined
      ? {}
      : { models: modelLimits(environment) }),
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

/** Webhooks at other agents; undefined without agents or a public URL, or if processes have no common keys. */
export function callbackSettings(environment: Environment): CallbackOptions | undefined {
  const url = publicAddresses(environment)[0]?.url;
  const ring = keyRing(environment);
  if (environment.AGENTS_FILE === undefined || url === undefined || ring === undefined) return undefined;
  return { url, masterKeys: masterKeysOf(ring) };
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

/** Codes of findings about Redis that the operator has accepted. */
export function acceptedFindings({ redis: { accept } }: Environment): readonly string[] {
  return accept.split(' ').filter((code) => code !== '');
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
