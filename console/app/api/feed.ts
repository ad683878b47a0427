import { signal } from '@preact/signals';
import { send } from './request.js';
import { eventsOf } from './sse.js';
import type { FeedFrame } from './types.js';

/** Whether the page is live: `off` while the stream is opened again. */
export const live = signal<'connecting' | 'on' | 'off'>('connecting');
/** How far the clock of this machine is ahead of the service's, in ms. */
export const clockAheadMs = signal(0);

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The service sends something every 15 s: a stream that is silent for longer is dead. */
const SILENT_MS = 40_000;

export interface FeedListener {
  readonly onFrame: (frame: FeedFrame) => void;
  /** The stream is open: what happened before is to be read. */
  readonly onOpen: () => void;
}

/**
 * Follows the feed until the returned function is called: opens it again after it has ended, and closes it while the tab
 * is hidden. One stream for each tab.
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

  constructor(
    private readonly query: string,
    private readonly listener: FeedListener,
  ) {
    document.addEventListener('visibilitychange', this.onVisibility);
  }

  stop(): void {
    this.end.abort();
    document.removeEventListener('visibilitychange', this.onVisibility);
  }

  async run(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    while (!this.hasEnded()) {
      await shown(this.end.signal);
      const started = Date.now();
      await this.read().catch(() => undefined);
      if (!this.hasEnded()) live.value = 'off';
      wait = Date.now() - started > LONGEST_WAIT_MS ? FIRST_WAIT_MS : Math.min(wait * 2, LONGEST_WAIT_MS);
      await pause(wait, this.end.signal);
    }
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
        this.take(JSON.parse(data) as FeedFrame, isFirst);
        isFirst = false;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  private take(frame: FeedFrame, isFirst: boolean): void {
    clockAheadMs.value = Date.now() - Date.parse(frame.now);
    if (frame.isOut !== undefined) live.value = frame.isOut ? 'off' : 'on';
    if (isFirst) {
      live.value = 'on';
      this.listener.onOpen();
    }
    this.listener.onFrame(frame);
  }
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
