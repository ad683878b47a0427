import type { RunHold } from '../../tasks/commit/run-holds.js';

/** A run on the board. */
export interface BoardedRun extends RunHold {
  readonly skill: string;
}

/** Bytes of one run: ids of 36, 16 and 10 characters, and the id of its skill. */
const PLACE_BYTES = 256;
/** A counter of beats, and the length of the text in each slot: 32 bits each. */
const WORD_BYTES = 4;

/**
 * The runs of this process in memory shared with its threads: a thread reads them while the event loop is blocked. A
 * run is a text, whose length is set last and cleared first.
 */
export class RunBoard {
  private readonly words: Int32Array;
  private readonly texts: Buffer;
  private readonly free: number[];

  /** @param memory memory of a board in another thread */
  constructor(
    readonly places: number,
    readonly memory = new SharedArrayBuffer(WORD_BYTES * (places + 1) + PLACE_BYTES * places),
  ) {
    this.words = new Int32Array(memory, 0, places + 1);
    this.texts = Buffer.from(memory, WORD_BYTES * (places + 1));
    this.free = Array.from({ length: places }, (_unused, at) => places - 1 - at);
  }

  /** Signals that the event loop is running. */
  beat(): void {
    Atomics.add(this.words, 0, 1);
  }

  /** Beats so far. */
  get beats(): number {
    return Atomics.load(this.words, 0);
  }

  /** Adds a run until the returned function is called; a run without room is not shown. */
  add({ taskId, fence, nonce, isLimited, skill }: BoardedRun): () => void {
    const place = this.free.pop();
    if (place === undefined) return () => undefined;
    const text = `${taskId} ${String(fence)} ${nonce} ${isLimited ? '1' : '0'} ${skill}`;
    Atomics.store(this.words, place + 1, this.texts.write(text, place * PLACE_BYTES, PLACE_BYTES, 'latin1'));
    return () => {
      Atomics.store(this.words, place + 1, 0);
      this.free.push(place);
    };
  }

  /** The runs on the board. */
  runs(): readonly BoardedRun[] {
    const runs: BoardedRun[] = [];
    for (let place = 0; place < this.places; place += 1) {
      const length = Atomics.load(this.words, place + 1);
      if (length === 0) continue;
      const text = this.texts.toString('latin1', place * PLACE_BYTES, place * PLACE_BYTES + length);
      const [taskId = '', fence, nonce = '', limited, skill = ''] = text.split(' ');
      runs.push({ taskId, fence: Number(fence), nonce, isLimited: limited === '1', skill });
    }
    return runs;
  }
}
