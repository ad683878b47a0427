import { randomUUID } from 'node:crypto';
import { CALL_FAULT, SERVICE_FAULT, SIMULATED } from '@parley/protocol/extension/marks.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import { isTerminal, type TaskState } from '@parley/protocol/model/task-state.js';
import { DEBUG_MARK } from '@parley/sdk/skill/simulation/example-value.js';
import type { TaskWrite } from '../../task/commit/run.store.js';
import type { ArtifactEvent, SkillEvent } from '@parley/sdk/skill/events.js';

/** Most characters of a text with which the service ends a task: an error may be of any length. */
const MOST_VERDICT = 4_000;

/** How a simulated task ends: nobody can take it for another one. */
const SIMULATED_END: Part = { text: `${DEBUG_MARK} Simulated: no remote or irreversible call was made.` };

/** What a verdict says beside its text. */
interface VerdictMarks {
  /** The service has failed the task, and not its skill. */
  readonly isFault?: boolean;
  /** A word for a caller that is a skill. */
  readonly why?: string;
}

type StatusMessage = NonNullable<Extract<TaskWrite, { kind: 'status' }>['message']>;

/** A skill yielded something that is no event of a task. */
export class InvalidSkillEvent extends Error {
  override readonly name = 'InvalidSkillEvent';
}

/**
 * Turns what one run yields into what is stored. The first chunk of an artifact in a run begins it anew, so that a
 * re-run after a crash replaces what the lost run wrote; later chunks keep name and description unless given anew
 * (A2A-ART-06), and none may follow the last (A2A-ART-03).
 */
export class SkillWrites {
  private readonly artifacts = new Map<string, { described: Record<string, unknown>; closed: boolean }>();

  constructor(
    private readonly taskId: string,
    private readonly contextId: string,
    private readonly isSimulated = false,
  ) {}

  of(event: SkillEvent): TaskWrite {
    if (event.kind === 'artifact') return this.artifactWrite(event);
    const { state, parts, metadata } = event;
    return { kind: 'status', state, ...this.said(state, parts), ...(metadata === undefined ? {} : { metadata }) };
  }

  /** A status of the service itself, with a text for the caller. */
  verdict(
    state: 'TASK_STATE_COMPLETED' | 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED',
    text?: string,
    { isFault = false, why }: VerdictMarks = {},
  ): TaskWrite {
    const parts = text === undefined ? [] : [{ text: shortened(text) }];
    const metadata = {
      ...(isFault ? { [SERVICE_FAULT]: true } : {}),
      ...(why === undefined ? {} : { [CALL_FAULT]: why }),
    };
    return { kind: 'status', state, ...this.said(state, parts, metadata) };
  }

  /** The message of a status; none where nothing is said. */
  private said(state: TaskState, parts: readonly Part[], marks: JsonObject = {}): { message?: StatusMessage } {
    const all = this.isSimulated && isTerminal(state) ? [SIMULATED_END, ...parts] : parts;
    if (all.length === 0) return {};
    const { taskId, contextId } = this;
    const message = { messageId: randomUUID(), role: 'ROLE_AGENT' as const, taskId, contextId, parts: all };
    const metadata = this.marked(marks);
    return { message: Object.keys(metadata).length === 0 ? message : { ...message, metadata } };
  }

  private marked(metadata: JsonObject): JsonObject {
    return this.isSimulated ? { ...metadata, [SIMULATED]: true } : metadata;
  }

  private artifactWrite({ artifactId, parts, append, lastChunk, ...given }: ArtifactEvent): TaskWrite {
    const rest = this.isSimulated ? { ...given, metadata: this.marked(given.metadata ?? {}) } : given;
    if (parts.length === 0) throw new InvalidSkillEvent(`Artifact "${artifactId}" has no parts`);
    const known = this.artifacts.get(artifactId);
    if (append && known?.closed === true)
      throw new InvalidSkillEvent(`Artifact "${artifactId}" has had its last chunk`);
    const grows = append && known !== undefined;
    const described = grows ? { ...known.described, ...describe(rest) } : describe(rest);
    if (grows && known.described.metadata !== undefined && rest.metadata !== undefined) {
      described.metadata = { ...(known.described.metadata as object), ...rest.metadata };
    }
    this.artifacts.set(artifactId, { described, closed: append && lastChunk });
    return { kind: 'artifact', artifactId, described, parts, append: grows, lastChunk };
  }
}

function describe({
  name,
  description,
  metadata,
}: Pick<ArtifactEvent, 'name' | 'description' | 'metadata'>): Record<string, unknown> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** A text with which the service ends a task. */
export function shortened(text: string): string {
  return text.length > MOST_VERDICT ? `${text.slice(0, MOST_VERDICT)} …` : text;
}
