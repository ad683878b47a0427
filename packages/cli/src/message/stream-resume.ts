import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { STREAM_RESUME } from '@parley/protocol/extension/stream-resume.js';

/** Whether the agent resumes after an event whose id it is sent; ids of other agents restart with each stream. */
export function canResume({ capabilities }: AgentCard): boolean {
  return (capabilities.extensions ?? []).some(({ uri }) => uri === STREAM_RESUME);
}
