import type { JWK } from 'jose';
import { CannotVerify } from '../cannot-verify.js';
import type { KeySet } from './jwk-set.js';

/** Times of the cache, in milliseconds. */
export interface JwksCacheTimes {
  /** Age at which the keys are reloaded in the background; default 5 minutes. */
  readonly refreshAfterMs: number;
  /** Age at which a call waits for newer keys, so that a removed key is refused; default 10 minutes. */
  readonly maxAgeMs: number;
  /** How long the last good keys are used while the issuer is unreachable; default 24 hours. */
  readonly maxStaleMs: number;
  /** Minimum time between two loads; default 30 seconds. */
  readonly cooldownMs: number;
  /** How long an unknown `kid` is refused without a new request; default 30 seconds. */
  readonly unknownKidMs: number;
}

export const JWKS_CACHE_TIMES: JwksCacheTimes = {
  refreshAfterMs: 5 * 60_000,
  maxAgeMs: 10 * 60_000,
  maxStaleMs: 24 * 3_600_000,
  cooldownMs: 30_000,
  unknownKidMs: 30_000,
};

const MAX_UNKNOWN_KIDS = 1_000;

/** The dependencies of the cache: the loader, a clock in milliseconds, and a callback for failed loads. */
export interface JwksCacheOptions {
  readonly load: () => Promise<KeySet>;
  readonly now: () => number;
  /** @param hasKeys the last good keys still serve */
  readonly onFailure: (error: unknown, hasKeys: boolean) => void;
  readonly times?: Partial<JwksCacheTimes>;
}

/**
 * Caches one issuer's keys. At most one load runs at a time and one starts per cooldown, so neither many callers nor
 * made-up key names flood the issuer; while it is down, the last good keys are used.
 */
export class JwksCache {
  private readonly times: JwksCacheTimes;
  private keys: KeySet = new Map();
  private loadedAt = -Infinity;
  private attemptedAt = -Infinity;
  private failing = false;
  private flight: Promise<void> | undefined;
  private readonly unknown = new Map<string, number>();

  constructor(private readonly options: JwksCacheOptions) {
    this.times = { ...JWKS_CACHE_TIMES, ...options.times };
  }

  /** The key of that name, undefined if the issuer has none. @throws CannotVerify if the keys cannot be fetched */
  async find(kid: string): Promise<JWK | undefined> {
    await this.freshen();
    const known = this.keys.get(kid);
    if (known !== undefined || this.isUnknown(kid)) return known;
    if (!(await this.refresh())) return undefined;
    const loaded = this.keys.get(kid);
    if (loaded === undefined && !this.failing) this.rememberUnknown(kid);
    return loaded;
  }

  /**
   * The key of that name if the issuer has replaced it; undefined if not, or if the cooldown forbids a request. For a
   * signature by another key of the same name: a forged one costs the issuer no more than a made-up name.
   */
  async replaced(kid: string, key: JWK): Promise<JWK | undefined> {
    if (!(await this.refresh())) return undefined;
    const now = this.keys.get(kid);
    return now === key ? undefined : now;
  }

  private async freshen(): Promise<void> {
    if (this.age > this.times.maxStaleMs) {
      await this.refresh();
      if (this.age > this.times.maxStaleMs) {
        throw new CannotVerify('Cannot fetch the keys of the issuer', this.secondsToNextLoad());
      }
    } else if (this.age > this.times.maxAgeMs && !this.failing) {
      await this.refresh();
    } else if (this.age > this.times.refreshAfterMs) {
      void this.refresh();
    }
  }

  /** Joins the running load or starts one; false when the cooldown forbids it. Never rejects. */
  private async refresh(): Promise<boolean> {
    if (this.flight === undefined && this.options.now() - this.attemptedAt < this.times.cooldownMs) return false;
    this.flight ??= this.load().finally(() => (this.flight = undefined));
    await this.flight;
    return true;
  }

  private async load(): Promise<void> {
    this.attemptedAt = this.options.now();
    try {
      this.keys = await this.options.load();
      this.loadedAt = this.options.now();
      this.failing = false;
      for (const kid of this.keys.keys()) this.unknown.delete(kid);
    } catch (error) {
      this.failing = true;
      this.options.onFailure(error, this.age <= this.times.maxStaleMs);
    }
  }

  private get age(): number {
    return this.options.now() - this.loadedAt;
  }

  private secondsToNextLoad(): number {
    return Math.max(1, Math.ceil((this.attemptedAt + this.times.cooldownMs - this.options.now()) / 1000));
  }

  private isUnknown(kid: string): boolean {
    const until = this.unknown.get(kid);
    if (until === undefined) return false;
    if (until > this.options.now()) return true;
    this.unknown.delete(kid);
    return false;
  }

  private rememberUnknown(kid: string): void {
    const [oldest] = this.unknown.keys();
    if (this.unknown.size >= MAX_UNKNOWN_KIDS && oldest !== undefined) this.unknown.delete(oldest);
    this.unknown.set(kid, this.options.now() + this.times.unknownKidMs);
  }
}
