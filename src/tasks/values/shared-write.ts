/** The values shared by one call of a task with its tree. */
export interface SharedWrite {
  readonly turn: number;
  /** The number of the call in its turn. */
  readonly call: number;
  /** The number of the task's latest event at that time. */
  readonly seq: number;
  /** Values by name, as JSON. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Parses a field of the hash of shared values. */
export function sharedWrite(field: string, text: string): SharedWrite {
  const [turn, call] = field.split('.').map(Number);
  const { seq, values } = JSON.parse(text) as {
    readonly seq: number;
    readonly values: Readonly<Record<string, unknown>>;
  };
  const texts = new Map(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]));
  return { turn: turn ?? 0, call: call ?? 0, seq, texts };
}

/** The write as a field and its text. */
export function sharedEntry({ turn, call, seq, texts }: SharedWrite): readonly [field: string, text: string] {
  const values = [...texts].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',');
  return [`${String(turn)}.${String(call)}`, `{"seq":${String(seq)},"values":{${values}}}`];
}

/** The resulting values of consecutive writes. */
export function sharedTexts(writes: readonly SharedWrite[]): ReadonlyMap<string, string> {
  const inOrder = [...writes].sort((a, b) => a.turn - b.turn || a.call - b.call);
  return new Map(inOrder.flatMap(({ texts }) => [...texts]));
}
