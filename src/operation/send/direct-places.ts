interface SkillPlaces {
  taken: number;
  readonly waiting: Set<() => void>;
}

/**
 * Keeps direct skills to the number of turns that they allow one process at a time (`SkillOptions.concurrency`). Unlike
 * runs, which wait in Redis, a direct call waits here: its caller holds the connection anyway.
 */
export class DirectPlaces {
  private readonly skills = new Map<string, SkillPlaces>();

  /** Takes a place, in the order of the calls; gives the function that leaves it. Undefined when `signal` aborts before. */
  async take(skillId: string, limit: number | undefined, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (limit === undefined) return () => undefined;
    const places = this.placesOf(skillId);
    if (places.taken < limit) places.taken += 1;
    else if (!(await isNext(places, signal))) return undefined;
    return () => {
      leave(places);
    };
  }

  private placesOf(skillId: string): SkillPlaces {
    const places = this.skills.get(skillId) ?? { taken: 0, waiting: new Set() };
    this.skills.set(skillId, places);
    return places;
  }
}

/** Waits for a place that another call leaves; false when the signal aborts first. */
function isNext({ waiting }: SkillPlaces, signal: AbortSignal): Promise<boolean> {
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

/** The place passes to the call that has waited longest, or becomes free. */
function leave(places: SkillPlaces): void {
  const [next] = places.waiting;
  if (next === undefined) {
    places.taken -= 1;
    return;
  }
  places.waiting.delete(next);
  next();
}
