import { loadConfig } from '../../platform/config/load-config.js';
import { comingVariables } from '../../platform/config/env-file.js';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../platform/redis/embedded/embedded-redis.js';
import { counted } from '../ops/output.js';
import { DevProcess } from './dev-process.js';
import { compilerPath } from './typescript-runtime.js';
import { usualFolder, watchSources } from './watch-sources.js';

/** Runs the project in the working folder, again after each change, until Ctrl-C. Tasks outlive each reload. */
export async function dev(given?: string): Promise<void> {
  compilerPath();
  const session = new DevSession(given ?? usualFolder());
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
  private spare = new DevProcess();
  private changes: Promise<void> = Promise.resolve();
  private waiting = 0;

  constructor(private readonly folder: string) {}

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
      await this.current?.stop();
      const ids = await this.serve(false);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      print(
        ids === undefined
          ? `${name} has changed; the service does not start. Waiting for the next change.`
          : `${name} has changed; ready in ${seconds} s with ${counted(ids.length, 'skill')}: ${ids.join(', ')}.`,
      );
    });
    return this.changes;
  }

  async close(): Promise<void> {
    await this.changes;
    await Promise.all([this.current?.stop(), this.spare.stop()]);
    await this.redis?.stop();
  }

  private async serve(isFirst: boolean): Promise<readonly string[] | undefined> {
    this.current = this.spare;
    const redis = this.redis === undefined ? {} : { redisUrl: this.redis.url };
    const ready = await this.current.start({ kind: 'start', folder: this.folder, isFirst, ...redis });
    this.spare = new DevProcess();
    return ready?.skills;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
