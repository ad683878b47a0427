import { partOfRoom } from '../../platform/traffic/process-memory.js';

interface Holder {
  readonly bytes: number;
  readonly cut: () => void;
}

/** Bytes of large events that all slow readers of a process together may hold. */
const MAX_BYTES = partOfRoom(1 / 8, 16, 128);

/**
 * Bounds the memory of large events in transmission, over all streams of a process and all bindings. When it is full,
 * the readers that have held theirs for longest are disconnected, which are the slowest: they can resume with the
 * missing event.
 */
export class StreamMemory {
  private readonly holders = new Set<Holder>();
  private held = 0;

  constructor(private readonly most = MAX_BYTES) {}

  /** Bytes held now. */
  get bytes(): number {
    return this.held;
  }

  /**
   * Counts an event until the returned function is called.
   * @param cut ends the reader's stream when others need the memory; called at most once
   */
  hold(bytes: number, cut: () => void): () => void {
    this.makeRoomFor(bytes);
    const holder = { bytes, cut };
    this.holders.add(holder);
    this.held += bytes;
    return () => {
      this.forget(holder);
    };
  }

  /** A single event larger than the whole budget passes if no other is being sent. */
  private makeRoomFor(bytes: number): void {
    for (const holder of this.holders) {
      if (this.held + bytes <= this.most) return;
      this.forget(holder);
      holder.cut();
    }
  }

  private forget(holder: Holder): void {
    if (this.holders.delete(holder)) this.held -= holder.bytes;
  }
}
