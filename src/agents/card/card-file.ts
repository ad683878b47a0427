import { readFileDto } from '@parley/sdk/validation/read-file-dto.js';
import type { AgentDescription, CardFacts } from './card.options.js';
import { CardFileDto } from './dto/card-file.dto.js';

/**
 * The description of the agent in the operator's card file. Throws an error that names a wrong or unknown member, or a
 * capability that contradicts the service (A2A-CARD-03, SEED-24).
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
