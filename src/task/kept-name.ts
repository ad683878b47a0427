/** What a task has put for its tree: a name, its version, and the turn that has put it. */
export interface KeptName {
  readonly name: string;
  /** From 1. */
  readonly version: number;
  readonly turn: number;
}

export function keptField({ name, version, turn }: KeptName): string {
  return `${String(version)}.${String(turn)}:${name}`;
}

/** Reads a field of the hash; undefined for another one. */
export function keptName(field: string): KeptName | undefined {
  const [, version, turn, name] = /^(\d+)\.(\d+):(.+)$/s.exec(field) ?? [];
  return name === undefined ? undefined : { name, version: Number(version), turn: Number(turn) };
}
