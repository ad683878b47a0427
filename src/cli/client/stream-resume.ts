import type { AgentCard } from '../../protocol/agent-card.js';
import { STREAM_RESUME } from '../../protocol/stream-resume.js';

/** Whether the agent goes on behind an event whose id it is sent; ids of other agents restart with each stream. */
export function canResume({ capabilities }: AgentCard): boolean {
  return (capabilities.extensions ?? []).some(({ uri }) => uri === STREAM_RESUME);
}
