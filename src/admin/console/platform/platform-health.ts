import { HttpException, Inject, Injectable } from '@nestjs/common';
import { type HealthCheckResult, HealthCheckService } from '@nestjs/terminus';
import { Probes } from '../../../platform/health/probes.js';
import { CommandRedis } from '../../../platform/redis/connection/connections.js';
import { primariesOf } from '../../../platform/redis/connection/redis-nodes.js';
import { flavourName, flavourOf } from '../../../platform/redis/health/flavour.js';
import type { RunningProcess } from '../../../platform/redis/running-processes.js';
import { PlatformSurvey } from './platform-survey.js';

export interface HealthCheckView {
  readonly name: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly text: string;
}

export interface RedisView {
  /** Product and version. */
  readonly version: string;
  readonly usedBytes: number;
  /** 0 for no bound. */
  readonly mostBytes: number;
  /** Duration of one command, measured by this process. */
  readonly pingMs: number;
}

export interface HealthView {
  readonly checks: readonly HealthCheckView[];
  readonly redis: readonly RedisView[];
  readonly processes: readonly RunningProcess[];
  /** Clock of this process, ISO 8601: browsers compare theirs with it. */
  readonly now: string;
}

const NEEDED_ROLES = [
  ['api', 'No process serves callers'],
  ['worker', 'No worker: tasks wait until one starts'],
  ['dispatcher', 'No dispatcher: no webhooks are sent, and runs of lost workers are not taken over'],
] as const;
/** Share of `maxmemory` above which new work is refused. */
const SHORT = 0.9;

/** Reports the health of the platform: the probes of this process, Redis, and the running roles. */
@Injectable()
export class PlatformHealth {
  constructor(
    private readonly probes: Probes,
    private readonly health: HealthCheckService,
    private readonly survey: PlatformSurvey,
    @Inject(CommandRedis) private readonly redis: CommandRedis,
  ) {}

  async check(): Promise<HealthView> {
    const [probed, redis, processes] = await Promise.all([this.probed(), this.servers(), this.survey.processes()]);
    const checks = [...probed, ...redis.map(memoryCheck), ...roleChecks(processes), versionCheck(processes)];
    return { checks, redis, processes, now: new Date().toISOString() };
  }

  /** The readiness indicators of this process. */
  private async probed(): Promise<readonly HealthCheckView[]> {
    const { details } = await this.health.check(this.probes.of('ready')).catch(resultIn);
    return Object.entries(details).map(([name, { status, message }]: [string, Indicated]) => {
      const text = typeof message === 'string' ? message : `This process is ready: ${name}`;
      return { name, level: status === 'up' ? 'ok' : 'fail', text };
    });
  }

  private async servers(): Promise<readonly RedisView[]> {
    const primaries = await primariesOf(this.redis);
    return Promise.all(
      primaries.map(async (primary) => {
        const began = performance.now();
        await primary.ping();
        const pingMs = Math.round((performance.now() - began) * 10) / 10;
        const info = `${await primary.info('server')}\n${await primary.info('memory')}`;
        const fact = (name: string): string => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? '';
        const bytes = { usedBytes: Number(fact('used_memory')), mostBytes: Number(fact('maxmemory')) };
        return { version: flavourName(flavourOf(info)), ...bytes, pingMs };
      }),
    );
  }
}

interface Indicated {
  readonly status: string;
  readonly message?: unknown;
}

/** Terminus throws an unhealthy result. */
function resultIn(error: unknown): HealthCheckResult {
  if (error instanceof HttpException) return error.getResponse() as HealthCheckResult;
  throw error;
}

function memoryCheck({ usedBytes, mostBytes }: RedisView): HealthCheckView {
  const name = 'redis memory';
  if (mostBytes === 0) {
    const text = 'Redis has no maxmemory: nothing bounds it before the memory of the machine ends. Set maxmemory';
    return { name, level: 'warn', text };
  }
  const share = usedBytes / mostBytes;
  const text = `Redis uses ${String(Math.round(share * 100))} % of its maxmemory`;
  return { name, level: share >= SHORT ? 'fail' : share >= SHORT - 0.15 ? 'warn' : 'ok', text };
}

function roleChecks(processes: readonly RunningProcess[]): readonly HealthCheckView[] {
  return NEEDED_ROLES.map(([role, missing]) => {
    const count = processes.filter((process) => process.role === role || process.role === 'all').length;
    const text = count === 0 ? missing : `Processes with this role: ${String(count)}`;
    return { name: `role ${role}`, level: count === 0 ? 'fail' : 'ok', text };
  });
}

function versionCheck(processes: readonly RunningProcess[]): HealthCheckView {
  const versions = [...new Set(processes.map(({ version }) => version))].sort();
  const name = 'versions';
  if (versions.length < 2) return { name, level: 'ok', text: `All processes run ${versions.join('')}` };
  return { name, level: 'warn', text: `Processes run different versions: ${versions.join(', ')}` };
}
