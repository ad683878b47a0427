import { type SkillContext, SkillFailure, type SkillHandler, type SkillOptions } from '../skill.js';
import type { SkillEvent } from '../events.js';
import { checkedOutput } from './output-check.js';
import { readInput } from './skill-input.js';

/** A skill with its contract around it: `input` is read and checked before it runs, its artifacts as they come. */
export class ContractedSkill implements SkillHandler {
  constructor(
    private readonly options: SkillOptions,
    private readonly handler: SkillHandler,
  ) {}

  /** A skill without a contract is run as it is. */
  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const { input, output } = this.options;
    return input === undefined && output === undefined ? this.handler.run(context) : this.checked(context);
  }

  /**
   * Fills in `context.input` from the message that began the task. Throws `SkillFailure` when that does not fit, which
   * happens here only when the contract has changed since the message was taken in.
   */
  private async *checked(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const [message = context.messages[0]] = context.history;
    if (message === undefined) {
      throw new SkillFailure('The task has no message.');
    }
    const read = await readInput(this.options, { message, metadata: context.metadata });
    if (read.kind === 'violations') {
      const wrong = read.violations.map(({ field, description }) => `${field}: ${description}`);
      throw new SkillFailure(`The message does not fit what the skill takes now. ${wrong.join('; ')}`);
    }
    yield* checkedOutput(this.options, this.handler.run(withInput(context, read.value)));
  }
}

/** Members that are made on first access stay so. */
function withInput(context: SkillContext, value: unknown): SkillContext {
  const members = { ...Object.getOwnPropertyDescriptors(context), input: { value, enumerable: true } };
  return Object.create(Object.prototype, members) as SkillContext;
}
