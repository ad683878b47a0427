import { checkTarget, outcomeOf, outputKnown } from './call-step.js';
import type { Known, Scope } from '../check/scope.js';
import { jsonSchemaOf } from '../../skill/contract/json-schema.js';
import { checkInput, from, inputOf, type StepInput } from '../source.js';
import { idOf, type SkillRef } from '../../skill/skill.js';
import { FlowEnd, keyOf, named, type Step } from '../step.js';
import type { Values } from './branch-values.js';

/** How a conversation is handed over. */
export interface TransferOptions<State extends object = Values> {
  /** The name under which later steps find the result of the other agent. */
  readonly as?: string;
  /** Default: the message. */
  readonly input?: StepInput<State>;
  /** `return` (default): the flow continues with the result. `stay`: it is the result of the flow, which ends. */
  readonly after?: 'return' | 'stay';
}

/**
 * Hands the conversation over to another agent until that ends: it answers the caller's next messages without a run of this flow. A
 * tree has a limit of transfers, and agents that hand the same input to each other are refused as a loop.
 */
export function transfer<State extends object = Values>(
  skill: SkillRef,
  { as, input = from.message(), after = 'return' }: TransferOptions<State> = {},
): Step<State> {
  const skillId = idOf(skill);
  return {
    name: skillId,
    ...named(as),
    run: async (frame) => {
      const { context } = frame;
      const outcome = outcomeOf(await context.transfer(skillId, inputOf(input, frame), { key: keyOf(frame, skillId) }));
      if (after === 'stay') throw new FlowEnd('completed', '', outcome);
      return outcome;
    },
    check: (scope) => checkTransfer(skill, input, after, scope),
  };
}

function checkTransfer<State extends object>(
  skill: SkillRef,
  input: StepInput<State>,
  after: 'return' | 'stay',
  scope: Scope,
): Known {
  const skillId = idOf(skill);
  const target = scope.target(skill);
  if (target === undefined) return { origin: `the result of "${skillId}"` };
  checkTarget(target, false, scope);
  checkInput(input, { skillId, schema: target.input && jsonSchemaOf(target.input) }, scope);
  return after === 'stay' ? { origin: `the result of "${skillId}"`, ends: true } : outputKnown(target);
}
