import { stepField } from '../../tasks/record/journal-entries.js';
import type { Unsaved } from './unsaved-entries.js';

/** Results that wait for the next write of their run, and how long at most. */
const MAX_WAITING = 64;
const MAX_BYTES = 64 * 1024;
const MAX_MS = 50;

/** The steps of a run. Results of those without effects are entries of its next write: a run that is lost before repeats them. */
export class LateSteps {
  /** The names of steps that this run has begun. */
  readonly done = new Set<string>();
  private readonly results = new Map<string, string>();
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param store stores what is unsaved, without an event */
  constructor(
    private readonly turn: number,
    private readonly store: () => Promise<void>,
  ) {}

  /** A result that is not stored yet. */
  waiting(name: string): string | undefined {
    return this.results.get(name);
  }

  /** Resolves at once while few wait. */
  async add(name: string, json: string): Promise<void> {
    this.results.set(name, json);
    this.bytes += json.length;
    if (this.results.size >= MAX_WAITING || this.bytes >= MAX_BYTES) await this.store();
    else this.arm();
  }

  unsaved(): Unsaved {
    const some = [...this.results];
    const saved = (): void => {
      for (const [name, json] of some) if (this.results.delete(name)) this.bytes -= json.length;
      this.close();
      if (this.results.size > 0) this.arm();
    };
    return { entries: some.map(([name, json]) => [stepField(this.turn, name), json]), saved };
  }

  private arm(): void {
    this.timer ??= setTimeout(() => void this.store(), MAX_MS);
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
