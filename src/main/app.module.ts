import { type DynamicModule, Module, type Type, type ValueProvider } from '@nestjs/common';
import { CardOptions } from '../agents/card/card.options.js';
import {
  authSettings,
  callbackSettings,
  cardSettings,
  consoleSettings,
  policySettings,
  pushSettings,
  registrySettings,
  remoteSettings,
  replicaSettings,
  retentionSettings,
  startedEndpoints,
  toolSettings,
} from './app.settings.js';
import { DEFAULT_SKILL_ID, type LoadedSkills, skillModules, type SkillOverrides } from './app.skills.js';
import { ENDPOINTS } from '../endpoints/endpoints.js';
import { OperationModule, type OperationSurroundings } from '../operations/operation.module.js';
import { OperationOptions } from '../operations/operation.options.js';
import type { Environment } from './app.environment.js';
import type { ServiceRole } from '../platform/config/settings/service.settings.js';
import { OptionsModule } from '../platform/config/settings/options.module.js';
import type { PinoLogger } from '../platform/logging/pino.logger.js';
import type { MetricsOptions } from '../platform/metrics/metrics.options.js';
import { ScrapeModule } from '../platform/metrics/scrape.module.js';
import { RedisHealthModule } from '../platform/redis/health/redis-health.module.js';
import type { ProcessIdentity } from '../platform/redis/process-identity.js';
import { RedisOptions } from '../platform/redis/redis.options.js';
import type { Tracing } from '../platform/tracing/tracing.js';
import { TracingModule } from '../platform/tracing/tracing.module.js';
import { PolicyOptions } from '../policy/policy.options.js';
import { PushDispatchModule, PushModule, PushModuleOptions } from '../webhooks/push.module.js';
import { SweeperModule } from '../runs/sweep/sweeper.module.js';
import { WorkerModule } from '../runs/worker.module.js';
import { WorkerOptions } from '../runs/worker.options.js';
import { AuditTarget } from '../audit/audit-stream.js';
import { AuthModuleOptions } from '../auth/auth.module.js';
import { isLoopbackHost } from '../auth/incoming/loopback.js';
import { checkLimitOptions, LimitOptions } from '../limits/limit-options.js';
import { limitOptionsOf } from '../limits/limit.settings.js';
import { CallbackModule } from '../remote-agents/callback/callback.module.js';
import { ConsoleModule } from '../admin/console/console.module.js';
import { GrpcModule } from '../http/grpc/grpc.module.js';
import { HealthModule } from '../http/health/health.module.js';
import { BindingModule } from '../http/binding/binding.module.js';
import { BindingOptions } from '../http/binding/binding.options.js';
import { type ServerTimes, serverTimes } from '../http/server-times.js';
import { OpenApiModule } from '../http/openapi/openapi.module.js';
import { OperatorModule } from '../admin/operator/operator.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { checkNoUserIsNamed } from '../remote-agents/directory/agent-file.js';
import { RemoteModule } from '../remote-agents/remote.module.js';
import { RegistryApiModule } from '../registry/api/registry-api.module.js';
import { RestModule } from '../http/rest/rest.module.js';
import { RpcModule } from '../http/rpc/rpc.module.js';
import { WellKnownModule } from '../http/well-known/well-known.module.js';
import { TaskModule } from '../tasks/task.module.js';
import { ToolModule } from '../mcp-tools/tool.module.js';
import { TASK_DEFAULTS, TaskOptions } from '../tasks/task.options.js';

/** The inputs of the root module; the address of an embedded Redis is known only after its start. */
export interface AppOptions {
  readonly environment: Environment;
  readonly redisUrl: string;
  readonly version: string;
  /** The packs of SKILLS; without them and without `overrides.skills` the service has no skill. */
  readonly skills?: LoadedSkills;
  readonly overrides?: AppOverrides;
  /** Absent: no spans are recorded. */
  readonly tracing?: Tracing;
  /** Identity of the process in its tracing; absent: a new one. */
  readonly identity?: ProcessIdentity;
  /** The log of the start; absent: a new one. */
  readonly log?: PinoLogger;
}

/** Overrides of the defaults for other hosts than `main.ts`: a chaos run, a test, an embedding. */
export interface AppOverrides extends SkillOverrides {
  readonly task?: Partial<TaskOptions>;
  readonly limits?: Partial<LimitOptions>;
  readonly times?: Partial<ServerTimes>;
  /** Options of endpoints besides their settings, by name: `mcp` accepts resources besides those of tasks. */
  readonly endpoints?: Readonly<Record<string, object>>;
}

const NO_SKILLS: LoadedSkills = { packs: [], settings: new Map() };

/** Root module: imports the feature modules that this process's ROLE needs. */
@Module({})
export class AppModule {
  static forRole(role: ServiceRole, options: AppOptions): DynamicModule {
    const { environment, overrides = {}, skills = NO_SKILLS, tracing } = options;
    const push = role === 'worker' ? undefined : pushSettings(environment, options.version);
    const has = { runs: role === 'all' || role === 'worker', webhooks: push !== undefined };
    const isApi = role === 'all' || role === 'api';
    const isDispatcher = role === 'all' || role === 'dispatcher';
    const known = { remote: remoteModule(environment), registry: registryModule(environment, { isApi, isDispatcher }) };
    const imports = [
      OptionsModule.forRoot([
        ...sharedOptions(options),
        ...(push === undefined ? [] : [valueOf<PushModuleOptions>(PushModuleOptions, push)]),
        ...(isApi ? apiOptions(options) : []),
      ]),
      ...skillModules(environment, skills, overrides),
      ScrapeModule.forRoot(metricsOptions(options)),
      HealthModule.forRoot({ role, version: options.version, keyPrefix: environment.KEY_PREFIX }),
      RedisHealthModule,
      TaskModule,
      ToolModule.forRoot(toolSettings(environment, options.version)),
      ...(tracing === undefined ? [] : [TracingModule.forRoot(tracing)]),
      ...(push === undefined ? [] : [PushModule]),
      ...Object.values(known).filter((one) => one !== undefined),
      ...(isApi ? apiModules(options, has, known) : []),
      ...(has.runs ? [WorkerModule] : []),
      ...(isDispatcher ? [SweeperModule] : []),
      ...(isDispatcher && push !== undefined ? [PushDispatchModule] : []),
    ];
    return { module: AppModule, imports };
  }
}

/** Options of modules that every role has, or that runs skills. */
function sharedOptions({ environment, redisUrl, overrides, identity }: AppOptions): readonly ValueProvider[] {
  const { KEY_PREFIX: keyPrefix, WORKER_CONCURRENCY: concurrency, DRAIN_MS: drainMs, AUDIT_LOG: audit } = environment;
  return [
    valueOf<RedisOptions>(RedisOptions, { address: redisUrl, keyPrefix, identity, wait: replicaSettings(environment) }),
    valueOf<TaskOptions>(TaskOptions, {
      ...TASK_DEFAULTS,
      ...retentionSettings(environment),
      ...overrides?.task,
      keyPrefix,
    }),
    valueOf<WorkerOptions>(WorkerOptions, { concurrency, drainMs }),
    valueOf<AuditTarget>(AuditTarget, audit === 'stdout' ? audit : { file: audit }),
    valueOf<PolicyOptions>(PolicyOptions, policySettings(environment)),
  ];
}

/** Options of the modules that serve callers. @throws Error that names the variable to change */
function apiOptions({ environment, version, overrides }: AppOptions): readonly ValueProvider[] {
  const { KEY_PREFIX: keyPrefix, BLOCKING_MS: blockingMs } = environment;
  const limits = { ...limitOptionsOf(environment.limits, keyPrefix), ...overrides?.limits };
  checkLimitOptions(limits);
  return [
    valueOf<LimitOptions>(LimitOptions, limits),
    valueOf<AuthModuleOptions>(AuthModuleOptions, { auth: authSettings(environment), keyPrefix }),
    valueOf<OperationOptions>(OperationOptions, {
      ...{ blockingMs, briefWaitMs: environment.service.blockingMsOf01 },
      defaultSkillId: environment.DEFAULT_SKILL ?? DEFAULT_SKILL_ID,
    }),
    valueOf<CardOptions>(CardOptions, cardSettings(environment, version)),
    valueOf<BindingOptions>(BindingOptions, bindingOptions(environment)),
  ];
}

function valueOf<T>(provide: symbol, useValue: T): ValueProvider<T> {
  return { provide, useValue };
}

/** Calls to other agents, if any are configured: from runs, and from the sweeps that cancel them. */
function remoteModule(environment: Environment): DynamicModule | undefined {
  const remote = remoteSettings(environment);
  if (remote === undefined) return undefined;
  const takesCalls = environment.ROLE === 'all' || environment.ROLE === 'api';
  // Processes without callers know no issuers.
  if (takesCalls && authSettings(environment).issuers.length === 0) checkNoUserIsNamed(remote.agents);
  return RemoteModule.forRoot(remote);
}

/** The registry of other agents, if it is enabled. */
function registryModule(
  environment: Environment,
  { isApi, isDispatcher }: { readonly isApi: boolean; readonly isDispatcher: boolean },
): DynamicModule | undefined {
  const settings = registrySettings(environment);
  if (settings === undefined || !(isApi || isDispatcher)) return undefined;
  return RegistryModule.forRoot(settings, isDispatcher);
}

/** The known other agents: of AGENTS_FILE, and of the registry. */
interface KnownAgents {
  readonly remote: DynamicModule | undefined;
  readonly registry: DynamicModule | undefined;
}

/** Modules that serve callers: JSON-RPC and HTTP+JSON always, MCP if enabled, gRPC if it has a port. */
function apiModules(
  { environment, overrides, version }: AppOptions,
  has: OperationSurroundings,
  { remote, registry }: KnownAgents,
): readonly (DynamicModule | Type)[] {
  const operations = OperationModule.forRoot(has);
  const binding = BindingModule.forRoot(operations);
  const { GRPC_PORT: port, HOST: host } = environment;
  const { pingMs } = { ...serverTimes(environment.BLOCKING_MS), ...overrides?.times };
  const grpc = { ...bindingOptions(environment), host, pingMs };
  const console = consoleSettings(environment, version);
  const callbacks = callbackSettings(environment);
  return [
    RpcModule.forRoot(binding),
    ...startedEndpoints(environment, version)
      .map(({ endpoint, start }) => endpoint.module(start, { binding, given: overrides?.endpoints?.[endpoint.name] }))
      .filter((module) => module !== undefined),
    RestModule.forRoot(binding),
    ...(port === undefined ? [] : [GrpcModule.forRoot({ ...grpc, port }, operations)]),
    WellKnownModule.forRoot({ ...has, registry: environment.REGISTRY }),
    OpenApiModule.forRoot(operations, ENDPOINTS),
    ...(has.webhooks ? [OperatorModule] : []),
    ...(callbacks === undefined ? [] : [CallbackModule.forRoot(callbacks)]),
    ...(registry === undefined ? [] : [RegistryApiModule.forRoot(registry)]),
    ...(console === undefined
      ? []
      : [
          ConsoleModule.forRoot(
            console,
            has,
            operations,
            [remote, registry].filter((one) => one !== undefined),
          ),
        ]),
  ];
}

/** Metrics are on the service port only if that is loopback. */
function metricsOptions({ environment, version }: AppOptions): MetricsOptions {
  const { HOST: host, METRICS_PORT: port, ROLE: role } = environment;
  const onMainPort = port === undefined && isLoopbackHost(host);
  return { version, role, host, onMainPort, ...(port === undefined ? {} : { port }) };
}

/** The common options of all bindings. */
function bindingOptions({ service, OWNERSHIP }: Environment): BindingOptions {
  return { strictVersion: service.versionCheck === 'strict', ownership: OWNERSHIP };
}
