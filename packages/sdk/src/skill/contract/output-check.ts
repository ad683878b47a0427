import { A2AError } from '@parley/protocol/model/errors.js';
import type { SkillEvent } from '../events.js';
import type { SkillOptions } from '../skill.js';
import { checkContract } from './dto-check.js';

/**
 * Passes on a skill's events while every data part of a complete artifact is valid for the skill's `output` class.
 * Throws `A2AError` InvalidAgentResponse instead of the first invalid event; the skill is then stopped.
 */
export async function* checkedOutput(
  skill: SkillOptions,
  events: AsyncGenerator<SkillEvent, void, void>,
): AsyncGenerator<SkillEvent, void, void> {
  for await (const event of events) {
    await assertFits(skill, event);
    yield event;
  }
}

async function assertFits({ output }: SkillOptions, event: SkillEvent): Promise<void> {
  if (output === undefined || event.kind !== 'artifact' || event.append) {
    return;
  }
  for (const [index, part] of event.parts.entries()) {
    const checked =
      'data' in part && part.data !== undefined
        ? await checkContract(output, asJson(part.data), `parts[${index}].data`)
        : undefined;
    if (checked?.kind === 'violations') {
      throw new A2AError(
        'InvalidAgentResponse',
        `The skill gave an artifact "${event.artifactId}" that breaks its contract`,
        {
          violations: checked.violations,
        },
      );
    }
  }
}

/** The value after JSON: a Date is a string, undefined members are removed. */
function asJson(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
