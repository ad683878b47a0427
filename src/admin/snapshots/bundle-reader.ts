import { randomBytes } from 'node:crypto';
import { version as node } from 'node:process';
import { Injectable } from '@nestjs/common';
import type { AnswerRoom } from '../../tasks/record/snapshot.js';
import { EventLog } from '../../tasks/commit/event-log.js';
import { TreeReader } from '../../tasks/survey/tree-reader.js';
import { type TaskFacts, TaskInspector } from '../../tasks/lists/task-inspector.js';
import { withoutFaults, withoutReason } from '../../tasks/record/run-fault.js';
import { TaskStore } from '../../tasks/store/task.store.js';
import { TaskWorkReader } from '../../tasks/store/task-work.js';
import { BUNDLE_FORMAT, type Manifest } from './bundle-lines.js';
import { sealed } from './bundle.js';
import { CONTENT_SHAPE, EVENT_SHAPE, type Shape, stripped, TASK_SHAPE } from './stripped.js';

export interface BundleOptions {
  /** The version of the service. */
  readonly service: string;
  /** Texts and values are replaced by marks. */
  readonly isStripped: boolean;
  /** Whether the tasks that the task called are included. */
  readonly hasChildren: boolean;
}

/** Maximum bytes of a bundle. */
const MAX_BYTES = 64 * 1_048_576;
/** Smaller bundles need no room. */
const AT_HAND_BYTES = 262_144;

/** Writes all stored data of a task as lines of JSON. Does not check tenants: its callers do. */
@Injectable()
export class BundleReader {
  constructor(
    private readonly inspector: TaskInspector,
    private readonly work: TaskWorkReader,
    private readonly tasks: TaskStore,
    private readonly log: EventLog,
    private readonly trees: TreeReader,
  ) {}

  /** Reserves room for the largest task of a bundle before reading any of it. @throws A2AError when there is none */
  async makeRoom({ id }: TaskFacts, room: AnswerRoom): Promise<void> {
    const { bytes } = await this.work.of(id);
    const largest = Math.min(MAX_BYTES, bytes.messages + bytes.results);
    if (largest > AT_HAND_BYTES) await room.hold(largest, true);
  }

  /** The lines of a bundle, each with its line break. */
  of(facts: TaskFacts, options: BundleOptions): AsyncGenerator<string, void, void> {
    return sealed(bounded(this.lines(facts, options), facts.id));
  }

  private async *lines(facts: TaskFacts, options: BundleOptions): AsyncGenerator<string, void, void> {
    const { service, isStripped, hasChildren } = options;
    const made = new Date().toISOString();
    const about = { service, node, task: facts.id, isStripped };
    yield JSON.stringify({ kind: 'manifest', format: BUNDLE_FORMAT, made, ...about } satisfies Manifest);
    const key = randomBytes(32);
    const shown = (text: string, shape: Shape): string =>
      isStripped ? JSON.stringify(stripped(JSON.parse(text), key, shape)) : text;
    yield* this.taskLines(facts, shown, isStripped);
    if (!hasChildren) return;
    for (const id of await this.below(facts)) {
      const child = await this.inspector.inspect(id);
      if (child !== undefined) yield* this.taskLines(child, shown, isStripped);
    }
  }

  private async *taskLines(
    facts: TaskFacts,
    shown: (text: string, shape: Shape) => string,
    isStripped: boolean,
  ): AsyncGenerator<string, void, void> {
    const { id, owner, events } = facts;
    const of = `"task":${JSON.stringify(id)}`;
    const about = { ...facts, ...(await this.work.of(id)) };
    const known = isStripped ? withoutFaults(withoutReason(about)) : about;
    yield `{"kind":"task",${of},"value":${JSON.stringify(known)}}`;
    const snapshot = await this.tasks.read(owner, id);
    if (snapshot !== undefined) yield `{"kind":"snapshot",${of},"value":${shown(snapshot.task.text, TASK_SHAPE)}}`;
    for (const [field, text] of [...(await this.work.journal(id)), ...(await this.work.shared(id))]) {
      yield `{"kind":"journal",${of},"field":${JSON.stringify(field)},"value":${shown(text, CONTENT_SHAPE)}}`;
    }
    for (let next = 1; next <= events;) {
      const page = await this.log.page(id, next);
      const last = page?.events.at(-1);
      if (page === undefined || last === undefined) return;
      for (const { seq, nonce, event } of page.events) {
        yield `{"kind":"event",${of},"seq":${String(seq)},"nonce":"${nonce}","value":${shown(event.text, EVENT_SHAPE)}}`;
      }
      next = last.seq + 1;
    }
  }

  /** The tasks of the tree that a task called, directly or indirectly. */
  private async below({ id, tree }: TaskFacts): Promise<readonly string[]> {
    const { tasks } = await this.trees.of(tree?.root ?? id);
    const found = new Set([id]);
    // The list begins with the root, and parents precede their children.
    for (const task of tasks) if (task.parent !== undefined && found.has(task.parent)) found.add(task.id);
    found.delete(id);
    return [...found];
  }
}

async function* bounded(lines: AsyncIterable<string>, task: string): AsyncGenerator<string, void, void> {
  let bytes = 0;
  for await (const line of lines) {
    bytes += Buffer.byteLength(line);
    if (bytes > MAX_BYTES) {
      yield JSON.stringify({ kind: 'cut', task });
      return;
    }
    yield line;
  }
}
