import type { Part } from '@parley/protocol/model/message.js';
import type { Artifact } from '@parley/protocol/model/task.js';
import type { SkillEvent } from './events.js';

/** The artifacts that events make, and the parts of the last message. */
export function resultOf(events: readonly SkillEvent[]): {
  readonly artifacts: readonly Artifact[];
  readonly message: readonly Part[];
} {
  const artifacts = new Map<string, Artifact>();
  for (const event of events) {
    if (event.kind !== 'artifact') continue;
    const { kind: _kind, append, lastChunk: _lastChunk, ...one } = event;
    const before = append ? (artifacts.get(one.artifactId)?.parts ?? []) : [];
    artifacts.set(one.artifactId, { ...one, parts: [...before, ...one.parts] });
  }
  const last = events.findLast(({ kind }) => kind === 'status');
  return { artifacts: [...artifacts.values()], message: last?.parts ?? [] };
}
