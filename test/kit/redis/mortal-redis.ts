import type { RedisClient } from '../../../src/platform/redis/connection/redis-client.js';

/** Where a process dies: at its n-th script, from 1, before Redis sees it or before the reply comes. */
export interface Death {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** The connection of a process that dies at one of its scripts: nothing that it does later reaches Redis. */
export class MortalRedis {
  readonly redis: RedisClient;
  /** Resolves when it has died. */
  readonly died: Promise<void>;
  private die: () => void = () => undefined;
  private scripts = 0;
  private isDead = false;

  constructor(
    redis: RedisClient,
    private readonly death: Death,
    private readonly onScript: (sha: string) => Promise<void> = () => Promise.resolve(),
  ) {
    this.died = new Promise((resolve) => {
      this.die = () => {
        this.isDead = true;
        resolve();
      };
    });
    const overrides: Readonly<Record<string, unknown>> = {
      evalsha: (...args: Parameters<RedisClient['evalsha']>) =>
        this.script(() => redis.evalsha(...args), String(args[0])),
      eval: (...args: Parameters<RedisClient['eval']>) => this.alive(() => redis.eval(...args)),
    };
    this.redis = new Proxy(redis, {
      get: (target, name) => {
        const own = typeof name === 'string' ? overrides[name] : undefined;
        if (own !== undefined) return own;
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => this.alive(() => Reflect.apply(value, target, args) as unknown);
      },
    });
  }

  get hasDied(): boolean {
    return this.isDead;
  }

  private async script(run: () => Promise<unknown>, sha: string): Promise<unknown> {
    this.scripts += 1;
    const isLast = this.scripts === this.death.at;
    if (isLast && this.death.when === 'before') this.die();
    await this.onScript(sha);
    const reply = await this.alive(run);
    if (isLast) this.die();
    return this.alive(() => reply);
  }

  /** A dead process gets no answer, and no error either. */
  private alive(work: () => unknown): unknown {
    return this.isDead ? new Promise(() => undefined) : work();
  }
}
