interface SkillSlots {
  taken: number;
  readonly waiting: Set<() => void>;
}

/**
 * Limits the concurrency of direct skills per process (`SkillOptions.concurrency`). Unlike runs, which wait in Redis, a
 * direct call waits here: its caller holds the connection anyway.
 */
export class DirectSlots {
  private readonly skills = new Map<string, SkillSlots>();

  /** Acquires a slot, in call order; returns the function that releases it. Undefined if `signal` aborts first. */
  async take(skillId: string, limit: number | undefined, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (limit === undefined) return () => undefined;
    const slots = this.slotsOf(skillId);
    if (slots.taken < limit) slots.taken += 1;
    else if (!(await isNext(slots, signal))) return undefined;
    return () => {
      leave(slots);
    };
  }

  private slotsOf(skillId: string): SkillSlots {
    const slots = this.skills.get(skillId) ?? { taken: 0, waiting: new Set() };
    this.skills.set(skillId, slots);
    return slots;
  }
}

/** Waits for a released slot; false if the signal aborts first. */
function isNext({ waiting }: SkillSlots, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const giveUp = (): void => {
      waiting.delete(take);
      resolve(false);
    };
    const take = (): void => {
      signal.removeEventListener('abort', giveUp);
      resolve(true);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    else waiting.add(take);
  });
}

/** The slot passes to the longest waiting call, or becomes free. */
function leave(slots: SkillSlots): void {
  const [next] = slots.waiting;
  if (next === undefined) {
    slots.taken -= 1;
    return;
  }
  slots.waiting.delete(next);
  next();
}
