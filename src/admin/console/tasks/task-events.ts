import type { EventLog } from '../../../tasks/commit/event-log.js';
import { eventView, type EventView } from '../../../tasks/survey/event-view.js';

/** Bytes read from a log for one page of events; a page of large events ends early. */
const MAX_BYTES = 2 * 1_048_576;

/** Events from a number on, at most `limit`; fewer where they are large, and at least one if there is one. */
export async function eventViews(
  log: Pick<EventLog, 'page'>,
  id: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<readonly EventView[]> {
  const views: EventView[] = [];
  let bytes = 0;
  for (let next = from; views.length < limit && bytes < MAX_BYTES;) {
    const page = await log.page(id, next, Math.min(100, limit - views.length));
    const last = page?.events.at(-1);
    if (page === undefined || last === undefined) break;
    views.push(
      ...page.events.map(({ seq, nonce, event: { text, value } }) =>
        eventView({ seq, nonce, bytes: Buffer.byteLength(text) }, value),
      ),
    );
    bytes = views.reduce((sum, view) => sum + view.bytes, 0);
    next = last.seq + 1;
  }
  return views;
}
