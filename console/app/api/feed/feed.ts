import { signal } from '@preact/signals';
import { RequestFailed, send } from '../request.js';
import { knownViewer, type SharedFeed, sharedFeed } from './shared-feed.js';
import { eventsOf } from '../a2a/sse.js';
import type { FeedFrame } from '../types.js';

/** Whether the page is live: `off` while the stream is opened again, `refused` where the viewer may not follow it. */
export const live = signal<'connecting' | 'on' | 'off' | 'refused'>('connecting');
/** How far the clock of this machine is ahead of the service's, in ms. */
export const clockAheadMs = signal(0);

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The service sends something every 15 s: a stream that is silent for longer is dead. */
const SILENT_MS = 40_000;

export interface FeedListener {
  readonly onFrame: (frame: FeedFrame) => void;
  /** The stream is open: earlier changes must be read. */
  readonly onOpen: () => void;
}

/**
 * Follows the feed until the returned function is called: opens it again after it has ended, and closes it while the tab
 * is hidden. Tabs that follow the same share one stream.
 */
export function follow(query: string, listener: FeedListener): () => void {
  const following = new Following(query, listener);
  void following.run();
  return () => {
    following.stop();
  };
}

class Following {
  private readonly end = new AbortController();
  private open = new AbortController();
  private shared: SharedFeed | undefined;

  constructor(
    private readonly query: string,
    private readonly listener: FeedListener,
  ) {
    document.addEventListener('visibilitychange', this.onVisibility);
  }

  stop(): void {
    this.end.abort();
    this.shared?.close();
    document.removeEventListener('visibilitychange', this.onVisibility);
  }

  async run(): Promise<void> {
    const { signal } = this.end;
    const who = await knownViewer();
    if (!this.hasEnded()) this.shared = this.share(who);
    while (!this.hasEnded()) {
      await shown(signal);
      if (this.shared === undefined) await this.readWhileShown();
      // Ends with an error where the page is left while another tab reads.
      else await this.shared.lead(() => this.readWhileShown(), signal).catch(() => undefined);
    }
  }

  private share(who: string): SharedFeed | undefined {
    return sharedFeed(`${who} ${this.query}`, {
      onFrame: this.show,
      onOpen: () => {
        live.value = 'on';
        this.listener.onOpen();
      },
      onOff: () => {
        live.value = 'off';
      },
    });
  }

  private async readWhileShown(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    while (!this.isAway()) {
      const started = Date.now();
      const isRefused = await this.read().then(
        () => false,
        (error: unknown) => error instanceof RequestFailed && error.status === 403,
      );
      // A viewer without the right gets none by asking again.
      if (isRefused) {
        live.value = 'refused';
        return;
      }
      if (this.hasEnded()) return;
      live.value = 'off';
      this.shared?.off();
      if (this.isAway()) return;
      wait = Date.now() - started > LONGEST_WAIT_MS ? FIRST_WAIT_MS : Math.min(wait * 2, LONGEST_WAIT_MS);
      await pause(wait, this.end.signal);
    }
  }

  /** A tab that is not shown reads nothing. */
  private isAway(): boolean {
    return this.hasEnded() || document.hidden;
  }

  private hasEnded(): boolean {
    return this.end.signal.aborted;
  }

  private readonly onVisibility = (): void => {
    if (document.hidden) this.open.abort();
  };

  private async read(): Promise<void> {
    this.open = new AbortController();
    const signal = AbortSignal.any([this.end.signal, this.open.signal]);
    let timer = setTimeout(() => undefined, 0);
    const restart = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        this.open.abort();
      }, SILENT_MS);
    };
    restart();
    try {
      const response = await send(`/console/api/feed${this.query}`, { signal });
      let isFirst = true;
      for await (const { data } of eventsOf(response, restart)) {
        const frame = JSON.parse(data) as FeedFrame;
        this.shared?.frame(frame, isFirst);
        if (isFirst) {
          live.value = 'on';
          this.listener.onOpen();
        }
        this.show(frame);
        isFirst = false;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  private readonly show = (frame: FeedFrame): void => {
    clockAheadMs.value = Date.now() - Date.parse(frame.now);
    if (frame.isOut !== undefined) live.value = frame.isOut ? 'off' : 'on';
    this.listener.onFrame(frame);
  };
}

/** Resolves when the tab is shown, which it most often is. */
function shown(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', check);
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
