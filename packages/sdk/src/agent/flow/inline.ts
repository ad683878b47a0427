import { CallFailed } from '../../skill/calls/call.js';
import { resultOf } from '../../skill/calls/skill-calls.js';
import { hostOf } from '../../skill/context/skill-host.js';
import { jsonSchemaOf } from '../../skill/contract/json-schema.js';
import { checkTarget, outcomeOf, outputKnown } from './call-step.js';
import type { Known, Scope } from '../check/scope.js';
import { checkInput, inputOf, type StepInput } from '../source.js';
import { idOf, type SkillRef } from '../../skill/skill.js';
import { keyOf, named, type Step } from '../step.js';
import type { Values } from './branch-values.js';

/** How a skill runs in the turn of the agent. */
export interface InlineOptions<State extends object = Values> {
  /** The name under which later steps find its value. */
  readonly as?: string;
  /** Default: the value of the step before, and at first the message. */
  readonly input?: StepInput<State>;
}

/**
 * Runs a short, pure skill in the turn of the agent, as a step: its result is in the journal, and there is no child task. Such a skill
 * cannot call, wait or ask, and has no cancel, retry or concurrency limit of its own.
 */
export function inline<State extends object = Values>(
  skill: SkillRef,
  { as, input }: InlineOptions<State> = {},
): Step<State> {
  const skillId = idOf(skill);
  return {
    name: skillId,
    ...named(as),
    run: async (frame) => {
      const { context } = frame;
      const { inline: run } = hostOf(context);
      const call = { skillId, input: inputOf(input, frame), key: keyOf(frame, skillId) };
      if (run === undefined) return outcomeOf(await context.call(skillId, call.input, { key: call.key }));
      const result = resultOf(call, await context.step(`inline ${call.key}`, () => run(call), { effects: 'none' }));
      if (result instanceof CallFailed) throw result;
      return outcomeOf(result);
    },
    check: (scope) => checkInline(skill, input, scope),
  };
}

function checkInline<State extends object>(skill: SkillRef, input: StepInput<State> | undefined, scope: Scope): Known {
  const skillId = idOf(skill);
  const target = scope.target(skill);
  if (target === undefined) return { origin: `the output of "${skillId}"` };
  checkTarget(target, true, scope);
  if (target.effects === 'irreversible' || target.effects === 'reversible')
    scope.fault(`"${skillId}" has effects: call it, since a step that is lost before its result is stored runs again`);
  checkInput(input, { skillId, schema: target.input && jsonSchemaOf(target.input) }, scope);
  return outputKnown(target);
}
