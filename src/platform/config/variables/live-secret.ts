import { readFileSync, statSync } from 'node:fs';
import { Logger } from '@nestjs/common';

/** Interval at which a file is looked at, and for which it must have been the same: a file may be half written. */
const CHECK_EVERY_MS = 1_000;

/** Where a secret comes from. */
export interface SecretSource<T> {
  /** Name of its variable. */
  readonly name: string;
  /** Its text at the start. */
  readonly text: string;
  /** The file of its text; absent: the secret does not change. */
  readonly file?: string | undefined;
  /** @throws Error for a broken one; the message must have nothing of the secret */
  readonly parse: (text: string) => T;
}

/**
 * A secret that is read again when its file has changed. It is looked at when the secret is used, at most once a second; a file that is
 * broken, half written or gone leaves the secret as it was.
 */
export class LiveSecret<T> {
  private readonly log = new Logger('Secrets');
  private value: T;
  private checkedAt: number;
  /** The versions of the file that are in force or refused, and at the last look. */
  private settled: string;
  private seen: string;

  /** @throws what `parse` throws for the text at the start */
  constructor(
    private readonly source: SecretSource<T>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.value = source.parse(source.text);
    this.checkedAt = now();
    this.settled = this.version();
    this.seen = this.settled;
  }

  get current(): T {
    if (this.source.file !== undefined && this.now() - this.checkedAt >= CHECK_EVERY_MS) this.check(this.source.file);
    return this.value;
  }

  private check(file: string): void {
    this.checkedAt = this.now();
    const version = this.version();
    const isStill = version === this.seen;
    this.seen = version;
    if (version === this.settled || !isStill) return;
    this.settled = version;
    const { name, parse } = this.source;
    try {
      const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      if (text.trim() === '') throw new Error('its file is empty');
      this.value = parse(text);
      this.log.log({ event: 'secret.reloaded', name });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.error({ event: 'secret.refused', name, reason: `the secret before stays: ${reason}` });
    }
  }

  /** Follows links: Kubernetes swaps the folder that a mounted secret is linked into. */
  private version(): string {
    const { file } = this.source;
    const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
    return found === undefined ? '' : [found.ino, found.size, found.mtimeMs].join();
  }
}
