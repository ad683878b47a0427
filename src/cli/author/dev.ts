import { loadConfig } from '../../platform/config/load-config.js';
import { comingVariables } from '../../platform/config/env-file.js';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../platform/redis/embedded/embedded-redis.js';
import { counted } from '../ops/output.js';
import type { DevReady } from './dev-message.js';
import { DevProcess } from './dev-process.js';
import { usualFolder, watchSources } from './watch-sources.js';

/**
 * Runs the project in the working folder, again after each change, until Ctrl-C. Tasks outlive each reload.
 * @param first the process of the first service, which loads its modules already
 */
export async function dev(first: DevProcess, given?: string): Promise<void> {
  const session = new DevSession(first, given ?? usualFolder());
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, resolve);
  });
  await session.open();
  const stopWatching = watchSources((name) => {
    void session.reload(name);
  });
  await stopped;
  stopWatching();
  await session.close();
}

/** One service at a time, one process that waits to replace it, and the embedded Redis of both. */
class DevSession {
  private redis: EmbeddedRedis | undefined;
  private current: DevProcess | undefined;
  private changes: Promise<void> = Promise.resolve();
  private waiting = 0;

  constructor(
    private spare: DevProcess,
    private readonly folder: string,
  ) {}

  async open(): Promise<void> {
    const { REDIS_URL, DATA_DIR, REDIS_SERVER_BIN } = loadConfig(comingVariables());
    if (REDIS_URL === undefined) {
      this.redis = await startEmbeddedRedis({
        dataDir: DATA_DIR,
        ...(REDIS_SERVER_BIN === undefined ? {} : { serverBinary: REDIS_SERVER_BIN }),
        onProgress: print,
      });
    }
    await this.serve(true);
  }

  /** Changes that come while one is served are served together. */
  reload(name: string): Promise<void> {
    if (this.waiting > 0) return this.changes;
    this.waiting += 1;
    this.changes = this.changes.then(async () => {
      this.waiting -= 1;
      const began = performance.now();
      const outcome = await this.serve(false);
      print(`${name} has changed; ${outcomeText(outcome, performance.now() - began)}`);
    });
    return this.changes;
  }

  async close(): Promise<void> {
    await this.changes;
    await Promise.all([this.current?.stop(), this.spare.stop()]);
    await this.redis?.stop();
  }

  /** The service of before serves until the next one has loaded the skills: a file that cannot be loaded changes nothing. */
  private async serve(isFirst: boolean): Promise<Outcome> {
    const next = this.spare;
    try {
      const redis = this.redis === undefined ? {} : { redisUrl: this.redis.url };
      const isLoaded = await next.load({ kind: 'start', folder: this.folder, isFirst, ...redis });
      if (!isLoaded) return this.current?.isAlive === true ? 'as-before' : 'none';
      await this.current?.stop();
      this.current = next;
      return (await next.listen()) ?? 'none';
    } finally {
      this.spare = new DevProcess();
    }
  }
}

/** The new service; or that of before the change, since the new one cannot be loaded; or none. */
type Outcome = DevReady | 'as-before' | 'none';

function outcomeText(outcome: Outcome, ms: number): string {
  if (outcome === 'none') return 'the service does not start. Waiting for the next change.';
  if (outcome === 'as-before') return 'it cannot be loaded: the service of before the change keeps serving.';
  const { skills } = outcome;
  return `ready in ${(ms / 1000).toFixed(1)} s with ${counted(skills.length, 'skill')}: ${skills.join(', ')}.`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
