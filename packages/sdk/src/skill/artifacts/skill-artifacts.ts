import type { Message, Part } from '@parley/protocol/model/message.js';
import type { Artifact, TaskStatus } from '@parley/protocol/model/task.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Content } from '../events.js';

/** Content that is stored once and handed on by reference. */
export interface SkillArtifacts {
  /**
   * Stores content for other tasks of the tree, which its caller does not see, and returns a reference to it:
   * `artifact:<task>/<name>@<version>`. Each further `put` of a name is a new version; at most 1 MiB each.
   */
  readonly put: (name: string, content: Content) => Promise<string>;
  /**
   * Reads the target of a reference; undefined where there is none, where it belongs to another caller, or where its
   * task has not ended. A task reads its own artifacts, those of its children and of the tasks that its messages refer
   * to, and those whose reference it was given: in a message, or as a shared value.
   */
  readonly get: (reference: string) => Promise<Referenced | undefined>;
  /**
   * The ended tasks of the same caller that the messages of this turn refer to (`referenceTaskIds`), in their order, with artifacts and
   * shared values. Others are left out.
   */
  readonly references: () => Promise<readonly ReferencedTask[]>;
}

/** Target of a reference. */
export interface Referenced {
  readonly parts: readonly Part[];
  /** Its text parts, joined by line breaks. */
  readonly text: string;
  /** Its data parts' values. */
  readonly data: readonly unknown[];
}

/** An ended task that a message refers to (`referenceTaskIds`). */
export interface ReferencedTask {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly artifacts: readonly Artifact[];
  /** The shared values that it has left, by name. */
  readonly shared: JsonObject;
}

/** Metadata of a child's message: the part of its own history that the parent passes on. */
export const HISTORY_EXTENSION = 'urn:parley:extension:history:1';

/** History that the parent of a task passes on. */
export function parentHistoryOf(first: Message | undefined): readonly Message[] {
  const passed = first?.metadata?.[HISTORY_EXTENSION];
  return Array.isArray(passed) ? (passed as readonly Message[]) : [];
}
