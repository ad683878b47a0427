import { type Bundle, bundleOf, type RecordedTask, sealedLines } from '../../../src/admin/snapshots/bundle-lines.js';
import { eventView } from '../../../src/tasks/survey/event-view.js';
import type { TaskContent } from '../api/content.js';
import { send } from '../api/request.js';
import type { TaskSource } from '../api/task-source.js';
import type { EventPage, RawEvents, TaskDetails, TaskTree, TreeTask } from '../api/types.js';
import type { TaskWebhooks } from '../api/webhook-types.js';
import { bytesText, shortId } from './format.js';

export type TaskBundle = Bundle<TaskDetails>;

/** A bundle that the user has opened, or two that are compared. */
export interface OpenedBundle {
  readonly name: string;
  readonly bundle: TaskBundle;
  /** The texts of the events of each task as the file has them. */
  readonly raw: ReadonlyMap<string, RawEvents['events']>;
}

/** Beyond this a page would freeze while it reads; the command line compares and replays larger ones. */
export const MAX_BUNDLE_BYTES = 16 * 1_048_576;

/** @throws BundleError for a file that is no whole bundle */
export async function openBundle(name: string, file: string): Promise<OpenedBundle> {
  const lines = sealedLines(file);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(lines.text));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { name, bundle: bundleOf<TaskDetails>(lines, hex), raw: rawEvents(lines.lines) };
}

/** A task of the service with its children, as a bundle. @throws Error in words for the viewer */
export async function readTask(id: string, signal: AbortSignal): Promise<OpenedBundle> {
  const response = await send(`/console/api/tasks/${id}/bundle/content?children=true`, { signal });
  const text = await response.text();
  if (text.length > MAX_BUNDLE_BYTES) throw new Error(tooLarge());
  return openBundle(shortId(id), text);
}

export function tooLarge(): string {
  return `The bundle has more than ${bytesText(MAX_BUNDLE_BYTES)}. Use parley ops trace for it.`;
}

const EVENT = /^\{"kind":"event","task":"([^"]+)","seq":(\d+),"nonce":"([^"]*)","value":/;

function rawEvents(lines: readonly string[]): OpenedBundle['raw'] {
  const found = new Map<string, RawEvents['events'][number][]>();
  for (const line of lines) {
    const [head = '', task = '', seq, nonce = ''] = EVENT.exec(line) ?? [];
    if (head === '') continue;
    const text = line.slice(head.length, -1);
    const events = found.get(task) ?? [];
    events.push({ seq: Number(seq), nonce, bytes: new TextEncoder().encode(text).length, text });
    found.set(task, events);
  }
  return found;
}

/** Answers the paths of the API that the pages of a task read, from a bundle. */
export function sourceOf({ bundle, raw }: OpenedBundle): TaskSource {
  const answer = (path: string): unknown => {
    const [, id = '', part = '', query] = /^\/tasks\/([^/?]+)(?:\/([\w/]+))?(?:\?(.*))?$/.exec(path) ?? [];
    const task = bundle.tasks.get(decodeURIComponent(id));
    if (task === undefined) throw new Error('The bundle does not have this task');
    const params = new URLSearchParams(query);
    switch (part) {
      case 'tree':
        return treeOf(bundle, task);
      case 'webhooks':
        return { webhooks: [], attempts: [], stopped: [] } satisfies TaskWebhooks;
      case 'events':
        return eventsOf(task, raw.get(task.about.id) ?? [], Number(params.get('last')));
      case 'content':
        return contentOf(bundle, task);
      case 'steps/content':
        return { bytes: 0 };
      case 'raw': {
        const from = Number(params.get('from'));
        const events = (raw.get(task.about.id) ?? []).filter(({ seq }) => seq >= from);
        return { events: events.slice(0, Number(params.get('limit'))) } satisfies RawEvents;
      }
      default:
        return task.about;
    }
  };
  return {
    base: '/bundle',
    isLive: false,
    bundle,
    // The answer of the API to the same path: its callers know its type.
    read: <T>(path: string) => Promise.resolve().then(() => answer(path) as T),
  };
}

function eventsOf(task: RecordedTask<TaskDetails>, raw: RawEvents['events'], last: number): EventPage {
  const views = task.events.map((event, at) => {
    const { seq = task.firstSeq + at, nonce = '', bytes = 0 } = raw[at] ?? {};
    return eventView({ seq, nonce, bytes }, event);
  });
  return { events: views.slice(-last), latest: task.about.events };
}

function contentOf({ manifest }: TaskBundle, { snapshot }: RecordedTask<TaskDetails>): TaskContent {
  if (manifest.isStripped) throw new Error('The bundle was written without content');
  return { trimmed: false, task: snapshot };
}

/** The tasks of a bundle are the one that it is about and those below it. */
function treeOf({ manifest, tasks }: TaskBundle, { about }: RecordedTask<TaskDetails>): TaskTree {
  const all = [...tasks.values()].map((task) => task.about);
  const listed = all.map((task) => treeTask(task, manifest.task, tasks));
  return { root: about.tree === undefined ? about.id : manifest.task, tasks: listed, total: listed.length };
}

function treeTask(task: TaskDetails, root: string, tasks: TaskBundle['tasks']): TreeTask {
  const { id, skill, state, reason, created, since, parked, tree } = task;
  const parent = id === root ? undefined : tree?.parent;
  let depth = 0;
  for (let at = parent; at !== undefined && at !== root; at = tasks.get(at)?.about.tree?.parent) depth += 1;
  const key = tree?.path.split('/').at(-1);
  return {
    ...{ id, skill, state, created, updated: since, isParked: parked !== undefined },
    ...(reason === undefined ? {} : { reason }),
    ...(parent === undefined ? { depth: 0 } : { parent, depth: depth + 1 }),
    ...(key === undefined || parent === undefined ? {} : { key }),
  };
}
