/** Texts, at most; twice as many are kept. */
const COUNT = 2_048;
/** Characters of a text: longer ones are read each time. */
const LENGTH = 2_048;
/** No text is used for more than twice as long, in ms. */
const AGE_MS = 60_000;

/**
 * Ended tasks as lists show them, by index entry: callers ask for the same page again and again, and such a task changes no more
 * (decision 0077). Two generations: what the older one has and nobody asks for goes when the younger one is full or old.
 */
export class ListedTexts {
  private young = new Map<string, string>();
  private old = new Map<string, string>();
  private since = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  get(entry: string): string | undefined {
    this.turn();
    return this.young.get(entry) ?? this.old.get(entry);
  }

  keep(entry: string, text: string): void {
    if (text.length > LENGTH) return;
    this.turn();
    this.young.set(entry, text);
  }

  private turn(): void {
    const now = this.now();
    if (this.young.size < COUNT && now - this.since < AGE_MS) return;
    this.old = this.young;
    this.young = new Map();
    this.since = now;
  }
}
