import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { brokenMembers } from '../platform/validation/broken-members.js';
import type { AgentDescription, CardFacts } from './card.options.js';
import { CardFileDto } from './dto/card-file.dto.js';

/**
 * What the operator's card file says of the agent. Throws an error that names the member to change: one that is wrong or
 * unknown, or a capability that the file claims and the service does not have, or denies and has (A2A-CARD-03, SEED-24).
 */
export function readCardFile(text: string, defaults: AgentDescription, facts: CardFacts): AgentDescription {
  const { capabilities: claims, ...said } = parsed(text);
  const on: CardFacts & { readonly streaming: boolean } = { streaming: true, ...facts };
  for (const name of ['streaming', 'pushNotifications', 'extendedAgentCard'] as const) {
    const claim = claims?.[name];
    const isOn = on[name];
    if (claim !== undefined && claim !== isOn) {
      throw new Error(`It says capabilities.${name} is ${String(claim)}, but that is ${isOn ? 'on' : 'off'} here`);
    }
  }
  const present = Object.entries(said).filter(([, value]: [string, unknown]) => value !== undefined);
  return { ...defaults, ...(Object.fromEntries(present) as Partial<AgentDescription>) };
}

function parsed(text: string): CardFileDto {
  const value = jsonObject(text);
  const file = plainToInstance(CardFileDto, value);
  const errors = validateSync(file, {
    whitelist: true,
    forbidNonWhitelisted: true,
    validationError: { target: false },
  });
  if (errors.length > 0) throw new Error(reasonsOf(errors).join('; '));
  return file;
}

function jsonObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error('It is not JSON', { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Error('It must hold a JSON object');
}

function reasonsOf(errors: readonly ValidationError[]): readonly string[] {
  return brokenMembers(errors).flatMap(({ path, constraints }) =>
    Object.values(constraints).map((reason) => `${path}: ${reason}`),
  );
}
