import type { JsonObject } from '@parley/protocol/model/json.js';
import { ContractedSkill } from '@parley/sdk/skill/contract/contracted-skill.js';
import { jsonSchemaOf } from '@parley/sdk/skill/contract/json-schema.js';
import { artifact, type SkillEvent } from '@parley/sdk/skill/events.js';
import type { SkillContext, SkillHandler, SkillOptions } from '@parley/sdk/skill/skill.js';
import type { RegisteredSkill } from './skill.registry.js';
import { DEBUG_MARK, exampleOf } from '@parley/sdk/skill/simulation/example-value.js';
import { inSimulation } from '@parley/sdk/skill/simulation/simulated-run.js';

/** The artifact of a simulated answer. */
const SIMULATED_ARTIFACT = 'simulated';

/**
 * The skill in debug mode (O-80). One with its own simulation answers by that; one that reaches out, or has
 * irreversible effects, with the example of its contract; any other runs, with nothing leaving the service.
 */
export function simulatedSkill({ options, handler }: RegisteredSkill): SkillHandler {
  const answer = answerOf(options);
  return inSimulation(answer === undefined ? handler : new ContractedSkill(options, new Answering(answer)));
}

type Answer = (input: unknown) => JsonObject | string;

function answerOf(options: SkillOptions): Answer | undefined {
  const { simulate, effects, reachesOut } = options;
  if (simulate === 'run') return undefined;
  if (typeof simulate === 'function') return simulate;
  if (simulate !== undefined) return () => simulate;
  return effects === 'irreversible' || reachesOut === true ? () => contractExample(options) : undefined;
}

/** The example in a skill's output contract, as a value. */
function contractExample({ output, name }: Pick<SkillOptions, 'output' | 'name'>): JsonObject | string {
  if (output === undefined) return `${DEBUG_MARK} ${name} would answer here.`;
  return exampleOf(jsonSchemaOf(output)) as JsonObject;
}

class Answering implements SkillHandler {
  constructor(private readonly answer: Answer) {}

  async *run({ input }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const answer = this.answer(input);
    const name = `${DEBUG_MARK} simulated`;
    yield typeof answer === 'string'
      ? artifact(SIMULATED_ARTIFACT, answer, { name })
      : artifact(SIMULATED_ARTIFACT, [{ data: answer }], { name });
  }
}
