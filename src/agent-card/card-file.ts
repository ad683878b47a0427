import { readFileDto } from '@parley/sdk/validation/read-file-dto.js';
import type { AgentDescription, CardFacts } from './card.options.js';
import { CardFileDto } from './dto/card-file.dto.js';

/**
 * What the operator's card file says of the agent. Throws an error that names the member to change: one that is wrong or
 * unknown, or a capability that the file claims and the service does not have, or denies and has (A2A-CARD-03, SEED-24).
 */
export function readCardFile(text: string, defaults: AgentDescription, facts: CardFacts): AgentDescription {
  const { capabilities: claims, ...said } = readFileDto(CardFileDto, text);
  const on: CardFacts & { readonly streaming: boolean } = { streaming: true, ...facts };
  for (const name of ['streaming', 'pushNotifications', 'extendedAgentCard'] as const) {
    const claim = claims?.[name];
    const isOn = on[name];
    if (claim !== undefined && claim !== isOn) {
      throw new Error(`it says capabilities.${name} is ${String(claim)}, but that is ${isOn ? 'on' : 'off'} here`);
    }
  }
  const present = Object.entries(said).filter(([, value]: [string, unknown]) => value !== undefined);
  return { ...defaults, ...(Object.fromEntries(present) as Partial<AgentDescription>) };
}
