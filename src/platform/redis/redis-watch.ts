import { Inject, Injectable } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
import { CommandRedis } from './connections.js';
import { PeriodicCheck } from './periodic-check.js';
import { pingAll } from './redis-nodes.js';
import { judgeRedis, type PolicyFinding, readRedisFacts } from './redis-policy.js';
import { RedisOptions } from './redis.options.js';
import { readSchema, tooOldFor } from './stored-schema.js';

const EVERY_MS = 5_000;
/** The policy changes by an operator's hand only: every sixth check is soon enough. */
const CHECKS_PER_POLICY = 6;
/** An outage shorter than this leaves every pod ready: they answer "try again", which a gateway without pods cannot. */
const PATIENCE_MS = 30_000;

/** Buckets in seconds, up to the time limit of a ping. */
const PING_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.5];

/** The results of the last Redis checks. */
export interface RedisReport {
  readonly isFit: boolean;
  readonly message: string;
  /** How long Redis has not answered; 0 while it does. */
  readonly awaySeconds: number;
  readonly warnings: readonly string[];
}

/** Checks Redis at intervals, so that a probe costs nothing and one lost packet changes nothing. */
@Injectable()
export class RedisWatch extends PeriodicCheck {
  private answeredAt = performance.now();
  private findings: readonly PolicyFinding[] = [];
  private checks = 0;
  private isAway = false;
  private readonly up;
  private readonly pings;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(RedisOptions) private readonly options: RedisOptions,
    metrics: Metrics,
  ) {
    super(EVERY_MS);
    this.up = metrics.gauge('a2a_redis_up', '1 while Redis answers this process, else 0.');
    const help = 'Round trip to Redis, measured every 5 s.';
    this.pings = metrics.histogram('a2a_redis_ping_seconds', help, { buckets: PING_SECONDS });
  }

  report(): RedisReport {
    const awayMs = this.isAway ? performance.now() - this.answeredAt : 0;
    const refusals = this.findings.filter(({ severity }) => severity === 'refuse').map(({ text }) => text);
    const warnings = this.findings.filter(({ severity }) => severity === 'warn').map(({ text }) => text);
    const isLost = awayMs > PATIENCE_MS;
    return {
      isFit: !isLost && refusals.length === 0,
      message: isLost ? 'Redis has not answered for too long' : (refusals[0] ?? wordFor(this.isAway)),
      awaySeconds: Math.round(awayMs / 1000),
      warnings,
    };
  }

  async check(): Promise<void> {
    const began = performance.now();
    try {
      await pingAll(this.redis);
      this.isAway = false;
      this.answeredAt = performance.now();
      this.up.set(1);
      this.pings.observe((this.answeredAt - began) / 1000);
    } catch {
      this.isAway = true;
      this.up.set(0);
      return;
    }
    if (this.checks++ % CHECKS_PER_POLICY === 0) await this.judge();
  }

  /** A managed Redis may hide its settings; then the earlier result is kept. */
  private async judge(): Promise<void> {
    const [facts, schema] = await Promise.all([
      readRedisFacts(this.redis).catch(() => undefined),
      readSchema(this.redis, this.options.keyPrefix).catch(() => undefined),
    ]);
    if (facts === undefined || schema === undefined) return;
    const tooOld = tooOldFor(schema);
    const ofSchema: readonly PolicyFinding[] = tooOld === undefined ? [] : [{ severity: 'refuse', text: tooOld }];
    this.findings = [...ofSchema, ...judgeRedis(facts)];
  }
}

function wordFor(isAway: boolean): string {
  return isAway ? 'Redis does not answer just now' : 'Redis answers';
}
