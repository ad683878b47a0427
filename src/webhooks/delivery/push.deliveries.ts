import { setMaxListeners } from 'node:events';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { withLineFields } from '../../platform/logging/line-fields.js';
import { ActiveWork } from '../../platform/queue/active-work.js';
import { PushOptions } from '../push.options.js';
import type { HookRef } from './cursor.store.js';
import { PushRunner } from './push.runner.js';

/** Time for cursors to be released once their attempts have been aborted. */
const RELEASE_MS = 1_000;

/**
 * The deliveries of this process, with a limit. At shutdown, those under way may finish; the others are aborted and
 * released.
 */
@Injectable()
export class PushDeliveries extends ActiveWork {
  private readonly log = new Logger(PushDeliveries.name);
  private readonly cut = new AbortController();
  private isClosed = false;

  constructor(
    @Inject(PushOptions) { concurrency }: PushOptions,
    private readonly runner: PushRunner,
  ) {
    super(concurrency);
    // Every attempt adds a listener; this is no leak.
    setMaxListeners(0, this.cut.signal);
  }

  /** Number of free slots; 0 during shutdown. */
  get free(): number {
    return this.isClosed ? 0 : this.slots - this.running;
  }

  /** Delivers to a webhook in a slot of its own. Never rejects. */
  begin(hook: HookRef): Promise<void> {
    return withLineFields({}, async () => {
      try {
        await this.during(() => this.runner.run(hook, this.cut.signal));
      } catch (error) {
        this.log.error({ event: 'push.broke', ...hook, error });
      }
    });
  }

  /** Starts no further delivery, and waits up to `drainMs` for those in progress. */
  async leave(drainMs: number): Promise<void> {
    this.isClosed = true;
    if (await this.idle(drainMs)) return;
    this.cut.abort(new Error('The process is shutting down'));
    await this.idle(RELEASE_MS);
  }
}
