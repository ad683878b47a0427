import { randomUUID } from 'node:crypto';
import { CALL_FAULT, SERVICE_FAULT, SIMULATED } from '@parley/protocol/extension/marks.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import { isTerminal, type TaskState } from '@parley/protocol/model/task-state.js';
import { DEBUG_MARK } from '@parley/sdk/skill/simulation/example-value.js';
import type { TaskWrite } from '../../tasks/commit/run.store.js';
import type { ArtifactEvent, SkillEvent } from '@parley/sdk/skill/events.js';

/** Maximum characters of the service's text in the end of a task: error messages may have any length. */
const MAX_VERDICT = 4_000;

/** Marks the end of a simulated task unmistakably. */
const SIMULATED_END: Part = { text: `${DEBUG_MARK} Simulated: no remote or irreversible call was made.` };

/** The marks of a verdict besides its text. */
interface VerdictMarks {
  /** Whether the service failed the task, and not its skill. */
  readonly isFault?: boolean;
  /** Machine-readable reason for a calling skill. */
  readonly why?: string;
}

type StatusMessage = NonNullable<Extract<TaskWrite, { kind: 'status' }>['message']>;

/** A skill yielded a value that is not an event of a task. */
export class InvalidSkillEvent extends Error {
  override readonly name = 'InvalidSkillEvent';
}

/**
 * Converts the yields of one run to stored writes. The first chunk of an artifact in a run begins it anew, so that a
 * re-run after a crash replaces the chunks of the lost run; later chunks keep name and description unless given anew
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

  /** A piece of an artifact that the skill does not yield. */
  pieceOf(event: ArtifactEvent): TaskWrite {
    return { ...this.artifactWrite(event), isOfService: true };
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

  /** The message of a status; undefined without text. */
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

  private artifactWrite({
    artifactId,
    parts,
    append,
    lastChunk,
    ...given
  }: ArtifactEvent): Extract<TaskWrite, { kind: 'artifact' }> {
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

/** A text of the service for the end of a task, truncated. */
export function shortened(text: string): string {
  return text.length > MAX_VERDICT ? `${text.slice(0, MAX_VERDICT)} …` : text;
}
