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

  /** Acquires a slot, in call order; returns the function that releases it. Undefined if `signal` aborts first. */
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

/** Waits for a released slot; false if the signal aborts first. */
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

/** The slot passes to the longest waiting call, or becomes free. */
function leave(places: SkillPlaces): void {
  const [next] = places.waiting;
  if (next === undefined) {
    places.taken -= 1;
    return;
  }
  places.waiting.delete(next);
  next();
}
