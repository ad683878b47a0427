import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Message } from '@parley/protocol/model/message.js';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { isOfChild } from '@parley/protocol/model/subtask.js';
import type { SkillEvent } from '@parley/sdk/skill/events.js';

/** An event for comparisons: the skill's output, without ids and times. */
export interface ComparedEvent {
  readonly kind: 'status' | 'artifact';
  /** The state, or the id of the artifact. */
  readonly what: string;
  readonly value: unknown;
}

/** The output of a task's skill: without events of the service itself and the progress of children. */
export function recordedEvents(events: readonly StreamResponse[]): readonly ComparedEvent[] {
  return events.flatMap((event): readonly ComparedEvent[] => {
    if (isOfChild(event)) return [];
    if ('artifactUpdate' in event) {
      const { artifact, append = false, lastChunk = false } = event.artifactUpdate;
      const { artifactId, ...rest } = artifact;
      return [{ kind: 'artifact', what: artifactId, value: { ...rest, append, lastChunk } }];
    }
    if (!('statusUpdate' in event)) return [];
    const { state, message } = event.statusUpdate.status;
    return isOfService(state, message) ? [] : [statusEvent(state, message?.parts ?? [])];
  });
}

/** The same for a present run. */
export function saidEvents(events: readonly SkillEvent[]): readonly ComparedEvent[] {
  return events.map((event) => {
    if (event.kind === 'status') return statusEvent(event.state, event.parts);
    const { kind, artifactId, ...value } = event;
    return { kind, what: artifactId, value };
  });
}

export function statusEvent(state: string, parts: Message['parts']): ComparedEvent {
  return { kind: 'status', what: state, value: parts };
}

/** The start of the work, and the questions of `ask`, which are not events of the skill. */
function isOfService(state: string, message: Message | undefined): boolean {
  if (state === 'TASK_STATE_SUBMITTED' || (state === 'TASK_STATE_WORKING' && message === undefined)) return true;
  return message?.metadata?.[QUESTIONS_EXTENSION] !== undefined;
}
