/** However many runs wait for a skill that is full, about one of them asks again in each of these. */
const ASK_EVERY_MS = 20;
/** A run that waits asks again after no less, */
const LEAST_PAUSE_MS = 100;
/** and after no more: it may be the only one left when the skill has room again. */
const MOST_PAUSE_MS = 10_000;

interface Room {
  busy: number;
  /** When the runs that were turned away ask again, in ms since the epoch. */
  away: number[];
}

/**
 * Keeps skills to the number of turns that they allow one process at a time (`SkillOptions.concurrency`). A slot is taken
 * before the run is claimed, so that nothing ever waits with a task, a lease or a slot of the worker in its hands.
 */
export class SkillSlots {
  private readonly rooms = new Map<string, Room>();

  /** Takes a slot: returns how to give it back, or undefined when the skill is full. */
  take(skillId: string, limit: number | undefined): (() => void) | undefined {
    if (limit === undefined) return () => undefined;
    const room = this.roomOf(skillId);
    if (room.busy >= limit) return undefined;
    room.busy += 1;
    return () => {
      room.busy -= 1;
    };
  }

  /** How long a run that found its skill full leaves the worker alone, in milliseconds. */
  pauseFor(skillId: string): number {
    const room = this.roomOf(skillId);
    const now = Date.now();
    room.away = room.away.filter((at) => at > now);
    const pause = Math.min(MOST_PAUSE_MS, LEAST_PAUSE_MS + room.away.length * ASK_EVERY_MS);
    room.away.push(now + pause);
    return pause;
  }

  private roomOf(skillId: string): Room {
    const room = this.rooms.get(skillId) ?? { busy: 0, away: [] };
    this.rooms.set(skillId, room);
    return room;
  }
}
