import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Redis } from 'ioredis';
import { SCRIPTS } from '../lua/script-source.js';

/** The commands of one turn of the event loop on one connection: they travel together, and so are one round trip. */
export type Trip = readonly string[];

/** What is asked by the clock, for no call: the connection's health, BullMQ's stalled jobs, and the living processes. */
const BACKGROUND = new Set(['ping', 'info', 'time', 'client', 'moveStalledJobsToWait', 'running_processes']);

/** Writes down what a connection sends from now on, the tasks' scripts by name. */
export class RedisTrips {
  private trips: string[][] = [];
  private open: string[] | undefined;

  constructor(redis: Redis) {
    const send = redis.sendCommand.bind(redis);
    redis.sendCommand = (...parameters: Parameters<typeof send>) => {
      this.note(parameters[0]);
      return send(...parameters);
    };
  }

  /** Forgets what was sent before. */
  reset(): void {
    this.trips = [];
    this.open = undefined;
  }

  get sent(): readonly Trip[] {
    return this.trips;
  }

  private note({ name, args }: { readonly name: string; readonly args: readonly unknown[] }): void {
    const what = name === 'evalsha' || name === 'eval' ? scriptOf(args.map(String)) : name;
    if (BACKGROUND.has(what)) return;
    if (this.open === undefined) {
      this.open = [];
      this.trips.push(this.open);
      setImmediate(() => (this.open = undefined));
    }
    this.open.push(what);
  }
}

/** Our scripts by their files; BullMQ's by what they touch. */
function scriptOf([sha = '', , ...keys]: readonly string[]): string {
  if (keys.some((key) => key.endsWith(':stalled-check'))) return 'moveStalledJobsToWait';
  return NAMES.get(sha) ?? NAMES.get(createHash('sha1').update(sha).digest('hex')) ?? 'BullMQ';
}

const NAMES = new Map(
  [...SCRIPTS].map(([file, { text }]) => [createHash('sha1').update(text).digest('hex'), basename(file, '.lua')]),
);
