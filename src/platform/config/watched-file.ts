import { unwatchFile, watchFile } from 'node:fs';

/** Polling interval of a file: its volume may be swapped as a whole, without a notification. */
const POLL_EVERY_MS = 1_000;

/** What follows from a change of a watched file. */
export interface FileChange {
  /** Reads the file and takes its content into force; throws for a broken one. */
  readonly read: (path: string) => Promise<void>;
  /** Called with the reason why the previous content stays in force. */
  readonly refused: (reason: string) => void;
}

/** A file of the operator that is read again when it changes, one change after the other. */
export class WatchedFile {
  private reading = Promise.resolve();

  /** @param pollEveryMs default 1,000 */
  constructor(
    private readonly path: string,
    private readonly change: FileChange,
    pollEveryMs = POLL_EVERY_MS,
  ) {
    watchFile(path, { interval: pollEveryMs, persistent: false }, this.changed);
  }

  close(): void {
    unwatchFile(this.path, this.changed);
  }

  /** Reads the file now, in turn with its changes. @throws what reading it throws */
  read(): Promise<void> {
    const read = this.reading.then(() => this.change.read(this.path));
    this.reading = read.catch(() => undefined);
    return read;
  }

  private readonly changed = (): void => {
    this.read().catch((error: unknown) => {
      this.change.refused(error instanceof Error ? error.message : String(error));
    });
  };
}
