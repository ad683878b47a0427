import { randomUUID } from 'node:crypto';
import { CALL_FAULT, SERVICE_FAULT } from '../protocol/marks.js';
import type { Part } from '../protocol/message.js';
import type { TaskWrite } from '../task/run.store.js';
import type { ArtifactEvent, SkillEvent } from '../skill/events.js';

/** Most characters of a text with which the service ends a task: an error may be of any length. */
const MOST_VERDICT = 4_000;

/** What a verdict says beside its text. */
interface VerdictMarks {
  /** The service has failed the task, and not its skill. */
  readonly isFault?: boolean;
  /** A word for a caller that is a skill. */
  readonly why?: string;
}

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
  ) {}

  of(event: SkillEvent): TaskWrite {
    if (event.kind === 'artifact') return this.artifactWrite(event);
    return {
      kind: 'status',
      state: event.state,
      ...(event.parts.length === 0 ? {} : { message: this.message(event.parts) }),
      ...(event.metadata === undefined ? {} : { metadata: event.metadata }),
    };
  }

  /** A status of the service itself, with a text for the caller. */
  verdict(
    state: 'TASK_STATE_COMPLETED' | 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED',
    text?: string,
    { isFault = false, why }: VerdictMarks = {},
  ): TaskWrite {
    if (text === undefined) return { kind: 'status', state };
    const message = this.message([{ text: shortened(text) }]);
    const metadata = {
      ...(isFault ? { [SERVICE_FAULT]: true } : {}),
      ...(why === undefined ? {} : { [CALL_FAULT]: why }),
    };
    return {
      kind: 'status',
      state,
      message: Object.keys(metadata).length === 0 ? message : { ...message, metadata },
    };
  }

  private message(parts: readonly Part[]): NonNullable<Extract<TaskWrite, { kind: 'status' }>['message']> {
    return { messageId: randomUUID(), role: 'ROLE_AGENT', taskId: this.taskId, contextId: this.contextId, parts };
  }

  private artifactWrite({ artifactId, parts, append, lastChunk, ...rest }: ArtifactEvent): TaskWrite {
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
