import { ArrayMaxSize, IsArray, IsObject, IsOptional, IsString, Length } from 'class-validator';
import { artifact, type CallResult, Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';

const MAX_CONDITIONS = 10;

/** A delegation: the skill to run, its input, its conditions of success, and its fallback. */
export class Delegation {
  @IsString()
  @Length(1, 128)
  readonly delegated_intent!: string;

  @IsOptional()
  @IsObject()
  readonly inputs?: Readonly<Record<string, unknown>>;

  /** Names that the contract of the skill has under `conditions`. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_CONDITIONS)
  @Length(1, 128, { each: true })
  readonly success_conditions?: readonly string[];

  @IsOptional()
  @IsString()
  @Length(1, 128)
  readonly fallback?: string;
}

/** The executed skill and its result. */
export class Delegated {
  @IsString()
  readonly ran!: string;

  @IsObject()
  readonly result!: Readonly<Record<string, unknown>>;

  /** Why the delegated skill has no result, where the fallback ran. */
  @IsOptional()
  @IsString()
  readonly reason?: string;
}

/** Runs a skill for an agent that delegates to it, and the fallback where that fails or its result does not meet the conditions. */
@Skill({
  id: 'delegate',
  name: 'Delegate',
  description:
    'Runs a skill by its id, checks conditions of success, and runs a fallback in its place when they are not met.',
  tags: ['delegation'],
  // The executed skill may be: a model or a flow that calls it needs an approval, as for that skill itself.
  effects: 'irreversible',
  simulate: 'run',
  callsNamed: ['delegated_intent', 'fallback'],
  inputModes: ['application/json'],
  outputModes: ['application/json'],
  input: Delegation,
  output: Delegated,
})
export class DelegateSkill implements SkillHandler {
  async *run({ input, call }: SkillContext<Delegation>): AsyncGenerator<SkillEvent, void, void> {
    const { delegated_intent: intent, inputs = {}, success_conditions: success = [], fallback } = input;
    const result = await call(intent, inputs, {
      key: 'delegated',
      success,
      ...(fallback === undefined ? {} : { fallback }),
    });
    const { skillId: ran, insteadOf } = result;
    const reason = insteadOf === undefined ? {} : { reason: insteadOf.message };
    yield artifact('delegated', [{ data: { ran, result: valueOf(result), ...reason } }]);
  }
}

/** The output of a skill; for one without, its text. */
function valueOf({ output, text }: CallResult): Readonly<Record<string, unknown>> {
  return typeof output === 'object' && output !== null && !Array.isArray(output) ? { ...output } : { text };
}
