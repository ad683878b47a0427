interface Line {
  busy: number;
  readonly waiting: (() => void)[];
}

/** Keeps skills to the number of turns that they allow one process at a time (`SkillOptions.concurrency`). */
export class SkillSlots {
  private readonly lines = new Map<string, Line>();

  /** Resolves when there is room, with the function that makes room again. */
  async take(skillId: string, limit: number | undefined): Promise<() => void> {
    if (limit === undefined) return () => undefined;
    const line = this.lines.get(skillId) ?? { busy: 0, waiting: [] };
    this.lines.set(skillId, line);
    if (line.busy < limit) line.busy += 1;
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    return () => {
      leave(line);
    };
  }
}

/** The place goes to the next in line, or becomes free. */
function leave(line: Line): void {
  const next = line.waiting.shift();
  if (next === undefined) line.busy -= 1;
  else next();
}
