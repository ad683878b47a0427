import { signal } from '@preact/signals';
import type { FeedFrame, MeView } from '../types.js';

/** Identity and rights of this tab's viewer: tabs of one viewer share their streams. Undefined until it was read. */
const viewer = signal<string | undefined>(undefined);

/** @param me an error where that could not be read: then this tab shares nothing */
export function noteViewer(me: MeView | Error | undefined): void {
  if (me === undefined) return;
  if (me instanceof Error) {
    viewer.value = crypto.randomUUID();
    return;
  }
  const { tenant, client, subject = '', scopes } = me;
  viewer.value = JSON.stringify([tenant, client, subject, scopes.filter(({ has }) => has).map(({ name }) => name)]);
}

/** Resolves once this tab's viewer is known. */
export function knownViewer(): Promise<string> {
  return new Promise((resolve) => {
    const stop = viewer.subscribe((who) => {
      if (who === undefined) return;
      resolve(who);
      // Not before the subscription is there.
      queueMicrotask(() => {
        stop();
      });
    });
  });
}

/** Messages between tabs about a stream that one of them reads for all. */
type FeedMessage =
  | { readonly kind: 'frame'; readonly frame: FeedFrame }
  /** The stream was opened, or is not there at the moment. */
  | { readonly kind: 'open' | 'off' }
  /** A tab has come, and is answered by the one that reads. */
  | { readonly kind: 'hello' | 'welcome' };

export interface SharedListener {
  readonly onFrame: (frame: FeedFrame) => void;
  readonly onOpen: () => void;
  readonly onOff: () => void;
}

/**
 * A stream that one tab reads for all tabs that follow the same: browsers open only six connections to a host over HTTP/1.1, and
 * those that wait for one wait for ever. The tab that holds a lock of the stream's name reads; when it ends, another one gets it.
 */
export class SharedFeed {
  private readonly channel: BroadcastChannel;
  private isReading = false;
  private isKnown = false;
  private isClosed = false;

  constructor(
    private readonly name: string,
    private readonly listener: SharedListener,
  ) {
    this.channel = new BroadcastChannel(name);
    this.channel.onmessage = ({ data }: MessageEvent<FeedMessage>) => {
      this.receive(data);
    };
    this.publish({ kind: 'hello' });
  }

  /** Does the work while no other tab does, as soon as that is so. @throws where the signal ends the wait */
  async lead(work: () => Promise<void>, end: AbortSignal): Promise<void> {
    await navigator.locks.request(this.name, { signal: end }, work);
    this.isReading = false;
  }

  /** This tab has a frame, the first one or a later one. */
  frame(frame: FeedFrame, isFirst: boolean): void {
    this.isReading = true;
    this.isKnown = true;
    if (isFirst) this.publish({ kind: 'open' });
    this.publish({ kind: 'frame', frame });
  }

  off(): void {
    if (this.isReading) this.publish({ kind: 'off' });
    this.isReading = false;
  }

  close(): void {
    this.isClosed = true;
    this.channel.close();
  }

  private publish(message: FeedMessage): void {
    if (!this.isClosed) this.channel.postMessage(message);
  }

  private receive(message: FeedMessage): void {
    switch (message.kind) {
      case 'hello':
        if (this.isReading) this.publish({ kind: 'welcome' });
        return;
      case 'welcome':
        if (!this.isKnown) this.opened();
        return;
      case 'open':
        this.opened();
        return;
      case 'off':
        this.listener.onOff();
        return;
      case 'frame':
        this.listener.onFrame(message.frame);
    }
  }

  private opened(): void {
    this.isKnown = true;
    this.listener.onOpen();
  }
}

/** Where tabs cannot agree on a reader, as over plain HTTP to another machine, each reads for itself. */
export function sharedFeed(name: string, listener: SharedListener): SharedFeed | undefined {
  return isSecureContext ? new SharedFeed(`parley-feed ${name}`, listener) : undefined;
}
