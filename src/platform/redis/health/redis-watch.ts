import { Inject, Injectable, Logger } from '@nestjs/common';
import { Metrics } from '../../metrics/metrics.js';
import { askOnce } from '../connection/ask-once.js';
import { ConnectionWatch } from './connection-watch.js';
import { CommandRedis } from '../connection/connections.js';
import { PeriodicCheck } from './periodic-check.js';
import { RedisConnections } from '../redis-connections.js';
import { pingAll } from '../connection/redis-nodes.js';
import { findingText, judgeRedis, type PolicyFinding, readRedisFacts, serversText } from './redis-policy.js';
import { RedisOptions } from '../redis.options.js';
import { readSchema, tooOldFor } from './stored-schema.js';

const EVERY_MS = 5_000;
/** Only operators change the policy: every sixth check suffices. */
const CHECKS_PER_POLICY = 6;
/** An outage shorter than this leaves every pod ready: they answer "try again", which a gateway without pods cannot. */
const PATIENCE_MS = 30_000;
/** A connection that stays gone this long while a new one works does not recover: the process must be restarted. */
const STUCK_MS = 180_000;

/** Buckets in seconds, up to the time limit of a ping. */
const PING_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.5];

/** The results of the last Redis checks. */
export interface RedisReport {
  readonly isFit: boolean;
  readonly message: string;
  /** Product and version of the servers; absent before the first check. */
  readonly server?: string;
  /** How long Redis has not answered; 0 while it answers. */
  readonly awaySeconds: number;
  readonly warnings: readonly string[];
  /** Each connection of this process by name: `ready`, or how long it has been gone. */
  readonly connections: Readonly<Record<string, string>>;
}

/** Checks each connection to Redis at intervals, so that a probe costs nothing and a lost packet changes nothing. */
@Injectable()
export class RedisWatch extends PeriodicCheck {
  private readonly log = new Logger('Redis');
  private readonly watches = new Map<unknown, ConnectionWatch>();
  private findings: readonly PolicyFinding[] = [];
  private server: string | undefined;
  private checks = 0;
  private stuck: readonly string[] = [];
  private readonly up;
  private readonly pings;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(RedisOptions) private readonly options: RedisOptions,
    private readonly connections: RedisConnections,
    metrics: Metrics,
  ) {
    super(EVERY_MS);
    this.up = metrics.gauge('a2a_redis_up', '1 while Redis answers this process on each connection, else 0.');
    const help = 'Round trip to Redis, measured every 5 s.';
    this.pings = metrics.histogram('a2a_redis_ping_seconds', help, { buckets: PING_SECONDS });
  }

  report(): RedisReport {
    const refusals = this.findings.filter(({ severity }) => severity === 'refuse').map(findingText);
    const warnings = this.findings.filter(({ severity }) => severity === 'warn').map(findingText);
    const watches = [...this.watches.values()];
    const awayMs = Math.max(0, ...watches.map(({ goneMs }) => goneMs));
    const lost = watches.filter(({ goneMs }) => goneMs > PATIENCE_MS).map(({ name }) => name);
    return {
      isFit: lost.length === 0 && refusals.length === 0,
      message: lost.length > 0 ? lostText(lost) : (refusals[0] ?? wordFor(awayMs > 0)),
      ...(this.server === undefined ? {} : { server: this.server }),
      awaySeconds: Math.round(awayMs / 1000),
      warnings,
      connections: Object.fromEntries(watches.map(({ name, goneMs }) => [name, stateText(goneMs)])),
    };
  }

  /** Connections that only a new process restores. */
  get stuckConnections(): readonly string[] {
    return this.stuck;
  }

  async check(): Promise<void> {
    const began = performance.now();
    const watches = this.current();
    await Promise.all(watches.map((watch) => watch.check()));
    const gone = watches.filter(({ goneMs }) => goneMs > 0);
    this.up.set(gone.length === 0 ? 1 : 0);
    await this.judgeStuck(gone.filter(({ goneMs }) => goneMs > STUCK_MS).map(({ name }) => name));
    if (gone.length > 0) return;
    this.pings.observe((performance.now() - began) / 1000);
    if (this.checks++ % CHECKS_PER_POLICY === 0) await this.judge();
  }

  /** The watches of the connections in use. */
  private current(): readonly ConnectionWatch[] {
    const { all } = this.connections;
    for (const client of this.watches.keys())
      if (!all.some((one) => one.client === client)) this.watches.delete(client);
    for (const one of all) if (!this.watches.has(one.client)) this.watches.set(one.client, new ConnectionWatch(one));
    return [...this.watches.values()];
  }

  /** A restart does not help if a new connection fails too. */
  private async judgeStuck(names: readonly string[]): Promise<void> {
    const before = this.stuck.length;
    const works = names.length > 0 && (await askOnce(this.connections.address(), pingAll).then(isTrue, isFalse));
    this.stuck = works ? names : [];
    if (works && before === 0) this.log.error({ event: 'redis.stuck', connections: names });
  }

  /** Keeps the earlier result when Redis does not answer. */
  private async judge(): Promise<void> {
    const [facts, schema] = await Promise.all([
      readRedisFacts(this.redis).catch(() => undefined),
      readSchema(this.redis, this.options.keyPrefix).catch(() => undefined),
    ]);
    if (facts === undefined || schema === undefined) return;
    const tooOld = tooOldFor(schema);
    const ofSchema: readonly PolicyFinding[] = tooOld === undefined ? [] : [{ severity: 'refuse', text: tooOld }];
    this.findings = [...ofSchema, ...judgeRedis(facts, this.options.accept)];
    this.server = serversText(facts);
  }
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;

function wordFor(isAway: boolean): string {
  return isAway ? 'Redis does not answer just now' : 'Redis answers';
}

function lostText(names: readonly string[]): string {
  return `Redis has not answered for too long (${names.length === 1 ? 'connection' : 'connections'}: ${names.join(', ')})`;
}

function stateText(goneMs: number): string {
  return goneMs === 0 ? 'ready' : `gone for ${String(Math.ceil(goneMs / 1000))} s`;
}
