import { Inject, Injectable, Logger } from '@nestjs/common';
import { CommandRedis } from '../connection/connections.js';
import { PeriodicCheck } from './periodic-check.js';
import { primariesOf } from '../connection/redis-nodes.js';

const EVERY_MS = 1_000;
/** Share of `maxmemory` above which new work is refused: the rest is for work in progress. */
const SHORT = 0.9;

/** Checks every second on each primary whether Redis is short of memory. */
@Injectable()
export class MemoryWatch extends PeriodicCheck {
  private readonly log = new Logger(MemoryWatch.name);
  private short = false;
  private most = 0;

  constructor(@Inject(CommandRedis) private readonly redis: CommandRedis) {
    super(EVERY_MS);
  }

  /** False also when Redis has no `maxmemory` or is unavailable. */
  get isShort(): boolean {
    return this.short;
  }

  /** `maxmemory` of all primaries together; 0 if one of them has no bound. */
  get mostBytes(): number {
    return this.most;
  }

  async check(): Promise<void> {
    try {
      const primaries = await primariesOf(this.redis);
      const found = await Promise.all(primaries.map(async (primary) => memoryIn(await primary.info('memory'))));
      const hasBound = found.every(({ most }) => most > 0);
      this.most = hasBound ? found.reduce((sum, { most }) => sum + most, 0) : 0;
      this.note(found.some(({ used, most }) => most > 0 && used / most >= SHORT));
    } catch {
      // Calls notice an outage themselves.
    }
  }

  private note(isShort: boolean): void {
    if (isShort !== this.short) this.log.warn({ event: isShort ? 'redis.memory-short' : 'redis.memory-enough' });
    this.short = isShort;
  }
}

/** A server's used memory and its bound; `most` is 0 without a `maxmemory`. */
function memoryIn(info: string): { readonly used: number; readonly most: number } {
  const number = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return { used: number('used_memory'), most: number('maxmemory') };
}
