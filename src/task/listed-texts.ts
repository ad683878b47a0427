/** Texts, at most; twice as many are kept. */
const COUNT = 2_048;
/** Characters of a text: longer ones are read each time. */
const LENGTH = 2_048;
/** No text is used for longer, in ms. */
const AGE_MS = 120_000;

interface KeptText {
  readonly text: string;
  readonly until: number;
}

/**
 * Ended tasks as lists show them, by index entry: callers ask for the same page again and again, and an ended task does not change.
 * Two generations: when the younger one is full, it takes the place of the older one.
 */
export class ListedTexts {
  private young = new Map<string, KeptText>();
  private old = new Map<string, KeptText>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  get(entry: string): string | undefined {
    const kept = this.young.get(entry) ?? this.old.get(entry);
    return kept !== undefined && this.now() < kept.until ? kept.text : undefined;
  }

  keep(entry: string, text: string): void {
    if (text.length > LENGTH) return;
    if (this.young.size >= COUNT) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(entry, { text, until: this.now() + AGE_MS });
  }
}
