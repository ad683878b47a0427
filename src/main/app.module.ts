import { type DynamicModule, Module, type ValueProvider } from '@nestjs/common';
import { CardOptions } from '../agents/card/card.options.js';
import {
  authSettings,
  callbackSettings,
  cardSettings,
  enabledFeatures,
  policySettings,
  pushSettings,
  remoteSettings,
  acceptedFindings,
  replicaSettings,
  retentionSettings,
  toolSettings,
} from './app.settings.js';
import { DEFAULT_SKILL_ID, type LoadedSkills, skillModules, type SkillOverrides } from './app.skills.js';
import { ModelLineModule } from '../models/model-line.module.js';
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
import { BlockOptions } from '../blocks/blocks.js';
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
import { GrpcModule } from '../http/grpc/grpc.module.js';
import { HealthModule } from '../http/health/health.module.js';
import { BindingModule } from '../http/binding/binding.module.js';
import { BindingOptions } from '../http/binding/binding.options.js';
import { type EnabledFeature, featureModules } from '../http/binding/feature.js';
import { type ServerTimes, serverTimes } from '../http/server-times.js';
import { OpenApiModule } from '../http/openapi/openapi.module.js';
import { checkNoUserIsNamed } from '../remote-agents/directory/agent-file.js';
import { RemoteModule } from '../remote-agents/remote.module.js';
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
  readonly blocks?: Partial<BlockOptions>;
  /** Options of features besides their settings, by name: `mcp` accepts resources besides those of tasks. */
  readonly features?: Readonly<Record<string, object>>;
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
    const operations = OperationModule.forRoot(has);
    const binding = isApi ? BindingModule.forRoot(operations) : undefined;
    const remote = remoteModule(environment);
    const features = enabledFeatures(environment, options.version);
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
      ModelLineModule.forRoot(environment.KEY_PREFIX),
      ToolModule.forRoot(toolSettings(environment, options.version)),
      ...(tracing === undefined ? [] : [TracingModule.forRoot(tracing)]),
      ...(push === undefined ? [] : [PushModule]),
      ...(remote === undefined ? [] : [remote]),
      ...(binding === undefined ? [] : apiModules(options, has, { operations, binding, features })),
      ...featureModules(features, { ...has, dispatches: isDispatcher, binding, remote }, overrides.features),
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
    valueOf<RedisOptions>(RedisOptions, {
      ...{ address: redisUrl, addressFile: environment.secretPaths.REDIS_URL, keyPrefix, identity },
      ...{ wait: replicaSettings(environment), accept: acceptedFindings(environment) },
    }),
    valueOf<TaskOptions>(TaskOptions, {
      ...TASK_DEFAULTS,
      ...retentionSettings(environment),
      ...overrides?.task,
      keyPrefix,
    }),
    valueOf<WorkerOptions>(WorkerOptions, { concurrency, drainMs }),
    valueOf<AuditTarget>(AuditTarget, audit === 'stdout' ? audit : { file: audit }),
    valueOf<PolicyOptions>(PolicyOptions, policySettings(environment)),
    valueOf<BlockOptions>(BlockOptions, { file: environment.auth.blockFile, ...overrides?.blocks }),
  ];
}

/** Options of the modules that serve callers. @throws Error that names the variable to change */
function apiOptions({ environment, version, overrides }: AppOptions): readonly ValueProvider[] {
  const { KEY_PREFIX: keyPrefix, BLOCKING_MS: blockingMs, OWNERSHIP } = environment;
  const countsUsers = OWNERSHIP === 'client-and-user';
  const limits = { ...limitOptionsOf(environment.limits, keyPrefix, countsUsers), ...overrides?.limits };
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

/** The parts that the modules with callers share. */
interface ApiParts {
  readonly operations: DynamicModule;
  readonly binding: DynamicModule;
  readonly features: readonly EnabledFeature[];
}

/** Modules that serve callers: JSON-RPC and HTTP+JSON always, gRPC if it has a port. */
function apiModules(
  { environment, overrides }: AppOptions,
  has: OperationSurroundings,
  { operations, binding, features }: ApiParts,
): readonly DynamicModule[] {
  const { GRPC_PORT: port, HOST: host } = environment;
  const { pingMs } = { ...serverTimes(environment.BLOCKING_MS), ...overrides?.times };
  const grpc = { ...bindingOptions(environment), host, pingMs };
  const callbacks = callbackSettings(environment);
  const listed = features.flatMap(({ feature, start }) => feature.listed?.(start) ?? []);
  return [
    RpcModule.forRoot(binding),
    RestModule.forRoot(binding),
    ...(port === undefined ? [] : [GrpcModule.forRoot({ ...grpc, port }, operations)]),
    WellKnownModule.forRoot(has, listed),
    OpenApiModule.forRoot(
      operations,
      features.map(({ feature }) => feature),
    ),
    ...(callbacks === undefined ? [] : [CallbackModule.forRoot(callbacks)]),
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
