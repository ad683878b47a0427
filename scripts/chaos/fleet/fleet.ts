import { setTimeout as pause } from 'node:timers/promises';
import { RedisServer } from '../../../test/kit/redis/redis-server.js';
import type { Random } from '../load/random.js';
import { IdleWatch } from './idle-watch.js';
import { Service } from './service.js';

export type Role = 'api' | 'worker' | 'dispatcher' | 'all';

export interface FleetOptions {
  readonly size: Partial<Readonly<Record<Role, number>>>;
  /** Processes that are loaded and wait to replace a killed one. */
  readonly standby: Partial<Readonly<Record<Role, number>>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly taskOptions?: Readonly<Record<string, number>>;
  /** Roles whose processes end themselves; elsewhere that is a fault. */
  readonly mortal?: readonly Role[];
  /** Points at which the processes of a role end themselves (kill-points.mjs): each process has one of them, in turn. */
  readonly killAt?: Partial<Readonly<Record<Role, KillPoints>>>;
  /** Whether Redis may be away when a process starts: it says so and ends, and the next one is started. */
  readonly mayFailToStart?: boolean;
  /** Called when Redis is up and nothing else is. */
  readonly onRedis?: (redis: RedisServer) => Promise<void>;
  /** Address of Redis for the services of a role, when that is not its own. */
  readonly redisUrl?: (redis: RedisServer, role: Role) => string;
}

export interface KillPoints {
  readonly points: readonly string[];
  /** A process dies at one of its first passes, up to this number. */
  readonly passes: number;
  /** How many are to die at each point: then no more processes are begun with it. */
  readonly kills: number;
}

export interface Kill {
  readonly pid: number;
  readonly role: Role;
  /** Ms since the epoch. */
  readonly at: number;
}

const START_MS = 120_000;
const EVERY_MS = 50;

/** How long a killed Redis is away. */
const REDIS_AWAY_MS = 1_500;

/** All processes of one run: a Redis, and services of each role that are replaced when they die. */
export class Fleet {
  readonly keyPrefix = 'chaos';
  readonly kills: Kill[] = [];
  /** Processes that ended without being killed, with their last words; runs that waited beside an idle worker. */
  readonly surprises: string[] = [];
  /** Processes that ended themselves, and were to. */
  fallen = 0;
  /** The same by the point at which they did. */
  readonly fallenAt = new Map<string, number>();
  /** Processes that were begun with a point. */
  private readonly sentTo = new Map<string, number>();
  private readonly services: Record<Role, Service[]> = { api: [], worker: [], dispatcher: [], all: [] };
  private readonly standby: Record<Role, Service[]> = { api: [], worker: [], dispatcher: [], all: [] };
  private readonly killed = new Set<number>();
  private isOver = false;
  private tending: Promise<void> | undefined;
  private idleness: IdleWatch | undefined;

  private constructor(
    readonly redis: RedisServer,
    private readonly options: FleetOptions,
  ) {}

  static async start(options: FleetOptions): Promise<Fleet> {
    const redis = await RedisServer.start();
    await options.onRedis?.(redis);
    const fleet = new Fleet(redis, options);
    fleet.tending = fleet.tend();
    fleet.idleness = new IdleWatch(redis.url, fleet.keyPrefix, (fault) => fleet.surprises.push(fault));
    await fleet.whenFull();
    return fleet;
  }

  /** Services of a role that are up. */
  up(role: Role): readonly Service[] {
    return this.services[role].filter((service) => service.isUp);
  }

  /** Addresses of the replicas that answer callers. */
  get apis(): readonly string[] {
    return [...this.up('api'), ...this.up('all')].flatMap(({ url }) => url ?? []);
  }

  /** Ends a random service of a role as a crash would. False when that would leave fewer than `least`. */
  killOne(role: Role, random: Random, least = 1): boolean {
    const candidates = this.up(role);
    const victim = random.pick(candidates);
    if (victim === undefined || candidates.length <= least) return false;
    this.kill(victim, role, 'SIGKILL');
    return true;
  }

  /** Calls `killOne` at regular times for as long as the work continues. */
  async killWhile(
    work: () => Promise<void>,
    kill: { readonly role: Role; readonly everyMs: number; readonly least: number; readonly random: Random },
  ): Promise<void> {
    const killing = setInterval(() => this.killOne(kill.role, kill.random, kill.least), kill.everyMs);
    await work().finally(() => {
      clearInterval(killing);
    });
  }

  /** Kills Redis at regular times for as long as the work continues, and starts it again after a moment; 0 for never. Returns how often. */
  async killRedisWhile(work: () => Promise<void>, everyMs: number): Promise<number> {
    if (everyMs === 0) return work().then(() => 0);
    const over = new AbortController();
    const killing = this.killRedis(everyMs, over.signal);
    await work().finally(() => {
      over.abort();
    });
    return killing;
  }

  /** The first time soon: a small amount of work is done within seconds. */
  private async killRedis(everyMs: number, over: AbortSignal): Promise<number> {
    for (let kills = 0; ; kills += 1) {
      await pause(kills === 0 ? everyMs / 3 : everyMs, undefined, { signal: over }).catch(() => undefined);
      if (over.aborted) return kills;
      await this.redis.kill();
      await pause(REDIS_AWAY_MS);
      await this.redis.launch();
    }
  }

  /** Stops a random service of a role for a while, as a machine that swaps would. */
  async stopOne(role: Role, random: Random, ms: number): Promise<void> {
    const victim = random.pick(this.up(role));
    victim?.signal('SIGSTOP');
    await pause(ms);
    victim?.signal('SIGCONT');
  }

  kill(victim: Service, role: Role, signal: 'SIGKILL' | 'SIGTERM'): void {
    this.killed.add(victim.pid);
    this.kills.push({ pid: victim.pid, role, at: Date.now() });
    victim.signal(signal);
  }

  /** Adds one to the processes of a role and resolves when it is up. */
  async add(role: Role): Promise<Service> {
    const service = this.launch(role);
    await until(() => service.isUp || !service.isAlive, START_MS);
    if (!service.isUp) throw new Error(`A ${role} did not start:\n${service.lines.join('\n')}`);
    return service;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    this.idleness?.stop();
    await this.tending;
    const all = [...Object.values(this.services), ...Object.values(this.standby)].flat();
    for (const service of all) service.signal('SIGKILL');
    await Promise.all(all.map((service) => service.ended));
    await this.redis.stop();
  }

  /** Resolves when every role has its number. */
  async whenFull(): Promise<void> {
    await until(() => this.surprises.length > 0 || this.isFull, START_MS);
    if (this.surprises.length > 0) throw new Error(`A process did not start: ${this.surprises.join('\n')}`);
  }

  private get isFull(): boolean {
    return ROLES.every((role) => this.up(role).length >= this.sizeOf(role) && this.reserveIsFull(role));
  }

  private reserveIsFull(role: Role): boolean {
    return this.standby[role].filter((service) => service.isLoaded).length >= (this.options.standby[role] ?? 0);
  }

  private sizeOf(role: Role): number {
    return this.options.size[role] ?? 0;
  }

  private async tend(): Promise<void> {
    while (!this.isOver) {
      for (const role of ROLES) {
        this.bury(role);
        while (this.services[role].length < this.sizeOf(role)) this.launch(role);
        while (this.standby[role].length < (this.options.standby[role] ?? 0)) this.standby[role].push(this.load(role));
      }
      await pause(EVERY_MS);
    }
  }

  private bury(role: Role): void {
    for (const service of this.services[role].filter(({ isAlive }) => !isAlive)) {
      if (this.killed.has(service.pid)) continue;
      if (this.mayEnd(role, service)) {
        this.fallen += 1;
        if (service.killPoint !== undefined) count(this.fallenAt, service.killPoint);
        continue;
      }
      const words = service.lines.slice(-5).join(' / ');
      this.surprises.push(`${role} ${service.pid} ended by itself (${String(service.exitCode)}): ${words}`);
    }
    this.services[role] = this.services[role].filter(({ isAlive }) => isAlive);
    this.standby[role] = this.standby[role].filter(({ isAlive }) => isAlive);
  }

  private mayEnd(role: Role, { url }: Service): boolean {
    const { mortal = [], killAt = {}, mayFailToStart = false } = this.options;
    return mortal.includes(role) || killAt[role] !== undefined || (mayFailToStart && url === undefined);
  }

  private launch(role: Role): Service {
    const ready = this.standby[role].findIndex((service) => service.isLoaded);
    const service = ready === -1 ? this.load(role) : (this.standby[role].splice(ready, 1)[0] ?? this.load(role));
    service.begin();
    this.services[role].push(service);
    return service;
  }

  private load(role: Role): Service {
    const { redisUrl = (redis: RedisServer) => redis.url, variables = {}, taskOptions = {} } = this.options;
    return new Service({
      ...{ ROLE: role, REDIS_URL: redisUrl(this.redis, role), KEY_PREFIX: this.keyPrefix },
      CHAOS_TASK_OPTIONS: JSON.stringify(taskOptions),
      ...variables,
      ...this.killPoint(role),
    });
  }

  /** Of the points where not enough have died, the one to which the fewest processes were sent. */
  private killPoint(role: Role): Readonly<Record<string, string>> {
    const { points = [], passes = 1, kills = 0 } = this.options.killAt?.[role] ?? {};
    const sent = (point: string): number => this.sentTo.get(point) ?? 0;
    const left = points.filter((one) => (this.fallenAt.get(one) ?? 0) < kills);
    const [point] = left.sort((one, other) => sent(one) - sent(other));
    if (point === undefined) return {};
    count(this.sentTo, point);
    return { CHAOS_KILL_AT: `${point} ${String(passes)}` };
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

const ROLES: readonly Role[] = ['dispatcher', 'worker', 'api', 'all'];

/** Waits for a condition; throws when it does not come true in time. */
export async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`What was waited for did not come within ${timeoutMs} ms`);
    await pause(EVERY_MS);
  }
}
