import { Inject, Injectable, Logger, type OnModuleInit, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { WatchedFile } from '../platform/config/watched-file.js';
import { type Block, readBlockFile } from './block-file.js';
import { type Blockable, BlockList } from './block-list.js';

/** The block list of this process. */
export interface BlockOptions {
  /** Absent: nothing is blocked. */
  readonly file?: string | undefined;
  /** Polling interval of the file, ms. Default 1,000. */
  readonly pollEveryMs?: number;
}

/** Injection token of the options. */
export const BlockOptions = Symbol('BlockOptions');

/** Pause before a held task of a blocked caller is tried again, ms. */
export const HELD_MS = 60_000;

interface Watcher {
  readonly caller: Blockable;
  readonly blocked: (block: Block) => void;
}

const NOTHING = (): void => undefined;

/** The block list in force. A changed file is read again; if it is broken or gone, the entries before stay. */
@Injectable()
export class Blocks implements OnModuleInit, OnApplicationShutdown {
  private readonly log = new Logger(Blocks.name);
  private readonly watchers = new Set<Watcher>();
  private list = new BlockList([]);
  private watched: WatchedFile | undefined;

  constructor(@Optional() @Inject(BlockOptions) private readonly options: BlockOptions = {}) {}

  /** Throws when the file cannot be read: a service without its list must not begin to serve. */
  async onModuleInit(): Promise<void> {
    const { file, pollEveryMs } = this.options;
    if (file === undefined) return;
    const refused = (reason: string): void => {
      this.log.error({ event: 'blocks.refused', file, reason: `the entries before stay: ${reason}` });
    };
    this.watched = new WatchedFile(file, { read: (path) => this.read(path), refused }, pollEveryMs);
    try {
      await this.watched.read();
    } catch (cause) {
      this.watched.close();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`auth.blockFile of parley.yaml, ${file}: ${reason}`, { cause });
    }
  }

  onApplicationShutdown(): void {
    this.watched?.close();
  }

  /** The entry that blocks a caller. */
  of(caller: Blockable): Block | undefined {
    return this.list.of(caller);
  }

  /** The entry that blocks calls to an agent. */
  ofAgent(name: string): Block | undefined {
    return this.list.ofAgent(name);
  }

  /** Calls back once, when a caller is blocked; at once if it is already. The returned function ends the watch. */
  whenBlocked(caller: Blockable, blocked: (block: Block) => void): () => void {
    if (this.options.file === undefined) return NOTHING;
    const watcher = { caller, blocked };
    this.watchers.add(watcher);
    this.check(watcher);
    return () => {
      this.watchers.delete(watcher);
    };
  }

  private check(watcher: Watcher): void {
    const block = this.list.of(watcher.caller);
    if (block === undefined || !this.watchers.delete(watcher)) return;
    watcher.blocked(block);
  }

  private async read(file: string): Promise<void> {
    const blocks = await readBlockFile(file);
    this.list = new BlockList(blocks);
    this.log.log({ event: 'blocks.read', file, entries: blocks.length });
    for (const watcher of [...this.watchers]) this.check(watcher);
  }
}
