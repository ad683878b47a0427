import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { authSettings, cardSettings, limitSettings, pushSettings } from './app.settings.js';
import { InvoiceModule } from './app.invoices.js';
import { replicaSettings, retentionSettings } from './app.storage.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import type { LimitOptions } from './limit/limit-options.js';
import { LimitModule } from './limit/limit.module.js';
import { PushDispatchModule, PushModule } from './push/push.module.js';
import { AgentCardModule } from './agent-card/agent-card.module.js';
import { isLoopbackHost } from './auth/open-start.js';
import type { Environment, ServiceRole } from './config/environment.js';
import { GrpcModule } from './grpc/grpc.module.js';
import type { BindingOptions } from './http/binding.options.js';
import { type ServerTimes, serverTimes } from './http/server-times.js';
import { HealthModule } from './health/health.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { AddressModule } from './http/address.module.js';
import { OperatorModule } from './operator/operator.module.js';
import { OperationModule } from './operation/operation.module.js';
import { OutboxModule } from './outbox/outbox.module.js';
import { RedisModule } from './redis/redis.module.js';
import { RestModule } from './rest/rest.module.js';
import { RpcModule } from './rpc/rpc.module.js';
import { SkillSchemaModule } from './skill-schema/skill-schema.module.js';
import type { SkillHandler } from './skill/skill.js';
import { SkillModule } from './skill/skill.module.js';
import { TASK_DEFAULTS, type TaskOptions } from './task/task.options.js';
import { TaskModule } from './task/task.module.js';
import type { Tracing } from './tracing/tracing.js';
import { TracingModule } from './tracing/tracing.module.js';
import { WorkerModule } from './worker/worker.module.js';

/** What a process needs to be told; where Redis is may be known only after the embedded one has started. */
export interface AppOptions {
  readonly environment: Environment;
  readonly redisUrl: string;
  readonly version: string;
  readonly overrides?: AppOverrides;
  /** Absent: nothing is recorded. */
  readonly tracing?: Tracing;
}

/** What another host than this service's own start puts in place of the defaults: a proof, a test, an embedding. */
export interface AppOverrides {
  /** In place of the catalog. */
  readonly skills?: readonly Type<SkillHandler>[];
  readonly task?: Partial<TaskOptions>;
  readonly limits?: Partial<LimitOptions>;
  readonly times?: Partial<ServerTimes>;
}

/** The whole house; each process opens the rooms of its role. */
@Module({})
export class AppModule {
  static forRole(role: ServiceRole, options: AppOptions): DynamicModule {
    const { environment, redisUrl, overrides = {} } = options;
    const imports = [
      RedisModule.forRoot(redisUrl, replicaSettings(environment)),
      TaskModule.forRoot({
        ...TASK_DEFAULTS,
        ...retentionSettings(environment),
        ...overrides.task,
        keyPrefix: environment.KEY_PREFIX,
      }),
      overrides.skills === undefined ? SkillModule.forCatalog() : SkillModule.forSkills(overrides.skills),
      InvoiceModule.forRoot(environment),
      MetricsModule.forRoot(metricsOptions(options)),
      AddressModule,
    ];
    imports.push(...workRooms(options));
    if (options.tracing !== undefined) imports.push(TracingModule.forRoot(options.tracing));
    const push = role === 'worker' ? undefined : pushSettings(environment, options.version);
    if (push !== undefined) imports.push(PushModule.forRoot(push));
    if (role === 'all' || role === 'api') {
      imports.push(...apiRooms(options));
      if (push !== undefined) imports.push(OperatorModule.forRoot(bindingOptions(environment)));
    }
    const dispatch = role === 'all' || role === 'dispatcher';
    const rooms = dispatch ? [OutboxModule, ...(push === undefined ? [] : [PushDispatchModule])] : [];
    return { module: AppModule, imports: [...imports, ...rooms] };
  }
}

/** What serves callers. */
function apiRooms(options: AppOptions): readonly DynamicModule[] {
  const { environment } = options;
  const { AUDIT_LOG, KEY_PREFIX: keyPrefix } = environment;
  return [
    AuditModule.forRoot(AUDIT_LOG === 'stdout' ? 'stdout' : { file: AUDIT_LOG }),
    LimitModule.forRoot({ ...limitSettings(environment), ...options.overrides?.limits }),
    AuthModule.forRoot({ auth: authSettings(environment), keyPrefix }),
    OperationModule.forRoot({
      blockingMs: environment.BLOCKING_MS,
      briefWaitMs: environment.BRIEF_WAIT_MS,
      defaultSkillId: environment.DEFAULT_SKILL,
    }),
    ...bindings(options),
    { module: SkillSchemaModule },
    AgentCardModule.forRoot(cardSettings(environment, options.version)),
  ];
}

/** The probes, and what they watch: a worker's progress, where there is a worker. */
function workRooms({ environment, version }: AppOptions): readonly DynamicModule[] {
  const { ROLE: role, WORKER_CONCURRENCY: concurrency, DRAIN_MS: drainMs } = environment;
  const options = { role, version, keyPrefix: environment.KEY_PREFIX };
  if (role !== 'all' && role !== 'worker') return [HealthModule.forRoot(options)];
  const worker = WorkerModule.forRoot({ concurrency, drainMs });
  return [HealthModule.forRoot({ ...options, worker }), worker];
}

/** Metrics are on the service's own port only where nobody but this machine can reach it. */
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

/** What all ways in have in common. */
function bindingOptions({ A2A_VERSION_CHECK, OWNERSHIP }: Environment): BindingOptions {
  return { strictVersion: A2A_VERSION_CHECK === 'strict', ownership: OWNERSHIP };
}
