import { memoryOf } from '@parley/protocol/extension/context-extension.js';
import { broughtState } from '../shared/scoped-state.js';
import { declaredState, readsOf } from './memory.js';
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
    const { input, output, memory } = this.options;
    const isFree = input === undefined && output === undefined && memory === undefined;
    return isFree ? this.handler.run(context) : this.checked(context);
  }

  /** For a skill that declares its memory: the values that its caller lends, and shared values, as far as it names them. */
  private memoryFor({ history, messages, shared }: SkillContext): Partial<SkillContext> {
    const { id, memory } = this.options;
    if (memory === undefined) return {};
    const reads = readsOf(this.options);
    const lent = Object.entries(memoryOf([...history.slice(0, 1), ...messages])).filter(([key]) => reads(key));
    return {
      shared: (scope) => {
        if (scope === 'caller') return broughtState(scope, Object.fromEntries(lent));
        return scope === 'parent' ? shared(scope) : declaredState(id, memory, shared(scope));
      },
    };
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
    const typed = withMembers(context, { input: read.value, ...this.memoryFor(context) });
    yield* checkedOutput(this.options, this.handler.run(typed));
  }
}

/** The members of a context are made when they are asked for: they stay so, in one that is derived from it. */
function withMembers(context: SkillContext, values: Partial<SkillContext>): SkillContext {
  const own = Object.entries(values).map(([name, value]) => [name, { value: value, enumerable: true }] as const);
  return Object.create(context, Object.fromEntries(own)) as SkillContext;
}
