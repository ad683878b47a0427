import type { LoggedEvent } from '../../task/event-log.js';
import { type EventWish, isReplaceable, isWanted, stateOf } from '../config/event-filter.js';

/**
 * The event to deliver next, of those from the cursor on; undefined when none of them is wanted. While a receiver is in
 * trouble, a status that a newer one has overtaken is left out: it would only hold up what matters now. Artifacts and
 * the last status of a task are never left out (A2A-PN-08).
 */
export function nextEvent(
  events: readonly LoggedEvent[],
  wishes: readonly EventWish[] | undefined,
  isInTrouble: boolean,
): LoggedEvent | undefined {
  const wanted = events.filter(({ event }) => isWanted(event.value, wishes));
  if (!isInTrouble) return wanted[0];
  const newest = wanted.findLast(({ event }) => stateOf(event.value) !== undefined);
  return wanted.find((logged) => logged === newest || !isReplaceable(logged.event.value));
}
