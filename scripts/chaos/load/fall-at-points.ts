import type { Fleet, FleetOptions } from '../fleet/fleet.js';

type KillAt = NonNullable<FleetOptions['killAt']>;

/** Results of the points of a scenario. */
export type Falls = Readonly<Record<string, number>>;

/** Rounds of the work, at most: a point that no process comes by fails the scenario. */
const MAX_ROUNDS = 200;

/** Repeats the work until enough processes have ended themselves at each of the fleet's points. */
export async function fallAtPoints(fleet: Fleet, killAt: KillAt, work: () => Promise<void>): Promise<void> {
  const fallen = (point: string): number => fleet.fallenAt.get(point) ?? 0;
  const isEnough = (): boolean =>
    Object.values(killAt).every(({ points, kills }) => points.every((point) => fallen(point) >= kills));
  for (let round = 0; round < MAX_ROUNDS && !isEnough(); round += 1) await work();
}

/** How many processes fell at each point. */
export function fallsOf(fleet: Fleet, killAt: KillAt): Falls {
  return Object.fromEntries(pointsOf(killAt).map((point) => [point, fleet.fallenAt.get(point) ?? 0]));
}

/** Promises of a scenario with points. */
export function fallPromises(falls: Falls, kills: number): Readonly<Record<string, boolean>> {
  return Object.fromEntries(
    Object.entries(falls).map(([point, count]) => [`fewer than ${String(kills)} fell at ${point}`, count >= kills]),
  );
}

/** In words. */
export function fallText(falls: Falls): string {
  return Object.entries(falls)
    .map(([point, count]) => `${point} ${String(count)}`)
    .join(', ');
}

function pointsOf(killAt: KillAt): readonly string[] {
  return [...new Set(Object.values(killAt).flatMap(({ points }) => points))];
}
