import { type DynamicModule, Module, type Type } from '@nestjs/common';
import {
  authSettings,
  cardSettings,
  limitSettings,
  pushSettings,
  replicaSettings,
  retentionSettings,
} from './app.settings.js';
import { type LoadedSkills, SkillServicesModule } from './app.skills.js';
import { AuditModule } from './security/audit/audit.module.js';
import { AuthModule } from './security/auth/auth.module.js';
import type { LimitOptions } from './security/limit/limit-options.js';
import { LimitModule } from './security/limit/limit.module.js';
import { PushDispatchModule, PushModule } from './push/push.module.js';
import { PushWatchdog } from './push/delivery/push.watchdog.js';
import { AgentCardModule } from './agent-card/agent-card.module.js';
import { isLoopbackHost } from './security/auth/open-start.js';
import type { Environment, ServiceRole } from './platform/config/environment.js';
import { GrpcModule } from './server/grpc/grpc.module.js';
import type { BindingOptions } from './server/http/binding.options.js';
import { type ServerTimes, serverTimes } from './server/http/server-times.js';
import { HealthModule } from './server/health/health.module.js';
import type { PinoLogger } from './platform/logging/pino.logger.js';
import { MetricsModule } from './platform/metrics/metrics.module.js';
import { AddressModule } from './platform/address/address.module.js';
import { OperatorModule } from './server/operator/operator.module.js';
import { OperationModule } from './operation/operation.module.js';
import { SweeperModule } from './run/sweep/sweeper.module.js';
import { RedisModule } from './platform/redis/redis.module.js';
import { RestModule } from './server/rest/rest.module.js';
import { RpcModule } from './server/rpc/rpc.module.js';
import { WellKnownModule } from './server/well-known/well-known.module.js';
import type { SkillHandler } from './skill/skill.js';
import { SkillModule } from './skill/skill.module.js';
import { TASK_DEFAULTS, type TaskOptions } from './task/task.options.js';
import { TaskModule } from './task/task.module.js';
import type { Tracing } from './platform/tracing/tracing.js';
import { TracingModule } from './platform/tracing/tracing.module.js';
import { RunWatchdog } from './run/run.watchdog.js';
import { WorkerModule } from './run/worker.module.js';

/** The inputs of the root module; the address of an embedded Redis is known only after its start. */
export interface AppOptions {
  readonly environment: Environment;
  readonly redisUrl: string;
  readonly version: string;
  /** The packs of SKILLS; without them and without `overrides.skills` the service has no skill. */
  readonly skills?: LoadedSkills;
  readonly overrides?: AppOverrides;
  /** Absent: nothing is recorded. */
  readonly tracing?: Tracing;
  /** The log that the start has begun; absent: a new one. */
  readonly log?: PinoLogger;
}

/** Overrides of the defaults for other hosts than `main.ts`: a chaos run, a test, an embedding. */
export interface AppOverrides {
  /** Replaces the packs of SKILLS. */
  readonly skills?: readonly Type<SkillHandler>[];
  readonly task?: Partial<TaskOptions>;
  readonly limits?: Partial<LimitOptions>;
  readonly times?: Partial<ServerTimes>;
}

const NO_SKILLS: LoadedSkills = { packs: [], settings: new Map() };

/** Root module: imports the feature modules that this process's ROLE needs. */
@Module({})
export class AppModule {
  static forRole(role: ServiceRole, options: AppOptions): DynamicModule {
    const { environment, redisUrl, overrides = {}, skills = NO_SKILLS } = options;
    const imports = [
      RedisModule.forRoot(redisUrl, replicaSettings(environment)),
      TaskModule.forRoot({
        ...TASK_DEFAULTS,
        ...retentionSettings(environment),
        ...overrides.task,
        keyPrefix: environment.KEY_PREFIX,
      }),
      overrides.skills === undefined ? SkillModule.forPacks(skills.packs) : SkillModule.forSkills(overrides.skills),
      SkillServicesModule.forRoot(environment, skills),
      MetricsModule.forRoot(metricsOptions(options)),
      AddressModule,
    ];
    const runs = runModule(options);
    if (options.tracing !== undefined) imports.push(TracingModule.forRoot(options.tracing));
    const push = role === 'worker' ? undefined : pushSettings(environment, options.version);
    if (push !== undefined) imports.push(PushModule.forRoot(push));
    if (role === 'all' || role === 'api') {
      imports.push(...apiModules(options, runs));
      if (push !== undefined) imports.push(OperatorModule.forRoot(bindingOptions(environment)));
    }
    const dispatch = role === 'all' || role === 'dispatcher';
    if (dispatch) imports.push(SweeperModule);
    const deliveries = dispatch && push !== undefined ? PushDispatchModule.forRoot(push.options) : undefined;
    imports.push(...watchedModules(options, runs, deliveries));
    return { module: AppModule, imports };
  }
}

/** Modules that serve callers. */
function apiModules(options: AppOptions, runs: DynamicModule | undefined): readonly DynamicModule[] {
  const { environment } = options;
  const { AUDIT_LOG, KEY_PREFIX: keyPrefix } = environment;
  return [
    AuditModule.forRoot(AUDIT_LOG === 'stdout' ? 'stdout' : { file: AUDIT_LOG }),
    LimitModule.forRoot({ ...limitSettings(environment), ...options.overrides?.limits }),
    AuthModule.forRoot({ auth: authSettings(environment), keyPrefix }),
    OperationModule.forRoot(
      {
        blockingMs: environment.BLOCKING_MS,
        briefWaitMs: environment.BRIEF_WAIT_MS,
        defaultSkillId: environment.DEFAULT_SKILL,
      },
      runs,
    ),
    ...bindings(options),
    { module: WellKnownModule },
    AgentCardModule.forRoot(cardSettings(environment, options.version)),
  ];
}

/** What runs skills, in processes that do. */
function runModule({ environment }: AppOptions): DynamicModule | undefined {
  const { ROLE: role, WORKER_CONCURRENCY: concurrency, DRAIN_MS: drainMs } = environment;
  return role === 'all' || role === 'worker' ? WorkerModule.forRoot({ concurrency, drainMs }) : undefined;
}

/** The probes, and what they watch: the progress of what works here, runs and deliveries. */
function watchedModules(
  { environment, version }: AppOptions,
  runs: DynamicModule | undefined,
  deliveries: DynamicModule | undefined,
): readonly DynamicModule[] {
  const watched = [
    ...(runs === undefined ? [] : [{ module: runs, watchdog: RunWatchdog }]),
    ...(deliveries === undefined ? [] : [{ module: deliveries, watchdog: PushWatchdog }]),
  ];
  const { ROLE: role, KEY_PREFIX: keyPrefix } = environment;
  return [HealthModule.forRoot({ role, version, keyPrefix, watched }), ...watched.map(({ module }) => module)];
}

/** Metrics are on the service port only if that is loopback. */
function metricsOptions({ environment, version }: AppOptions): Parameters<typeof MetricsModule.forRoot>[0] {
  const { HOST: host, METRICS_PORT: port, ROLE: role } = environment;
  const onMainPort = port === undefined && isLoopbackHost(host);
  return { version, role, host, onMainPort, ...(port === undefined ? {} : { port }) };
}

/** The ways in: JSON-RPC and HTTP+JSON always, gRPC where it has a port. */
function bindings({ environment, overrides }: AppOptions): readonly DynamicModule[] {
  const { GRPC_PORT: port, HOST: host } = environment;
  const options = bindingOptions(environment);
  const http = [RpcModule.forRoot(options), RestModule.forRoot(options)];
  if (port === undefined) return http;
  const { pingMs } = { ...serverTimes(environment.BLOCKING_MS), ...overrides?.times };
  return [...http, GrpcModule.forRoot({ ...options, host, port, pingMs })];
}

/** The common modules of all bindings. */
function bindingOptions({ A2A_VERSION_CHECK, OWNERSHIP }: Environment): BindingOptions {
  return { strictVersion: A2A_VERSION_CHECK === 'strict', ownership: OWNERSHIP };
}
