import type { JsonObject } from '@parley/protocol/model/json.js';
import { VERDICT, verdictOf } from '../skill/questions/verdict.js';
import type { SkillContext } from '../skill/skill.js';
import { SkillFailure } from '../skill/skill-failure.js';
import type { ModelMessage } from './model.port.js';

/** What a guard says: nothing against it, another value, a refusal, or that a person decides. */
export type GuardVerdict<Value> =
  | { readonly kind: 'pass' }
  | { readonly kind: 'mask'; readonly value: Value }
  | { readonly kind: 'refuse'; readonly text: string }
  | { readonly kind: 'ask'; readonly question: string };

/** The values that guards check, by the place of the check. */
export interface GuardedValues {
  /** The messages of an agent, before its first round. */
  readonly beforeAgent: readonly ModelMessage[];
  /** The messages of a request to the model. */
  readonly beforeModel: readonly ModelMessage[];
  /** The text of a reply: none of it was sent before. */
  readonly afterModel: string;
  readonly beforeTool: { readonly name: string; readonly arguments: JsonObject };
  readonly afterTool: { readonly name: string; readonly text: string };
  /** The text of the answer. */
  readonly afterAgent: string;
}

type Place = keyof GuardedValues;

/** The members of a context that a guard has. */
export type GuardContext = Pick<SkillContext, 'fetch' | 'signal' | 'principal' | 'log'>;

type Check<Value> = (value: Value, context: GuardContext) => GuardVerdict<Value> | PromiseLike<GuardVerdict<Value>>;

type Checks = { readonly [Name in Place]?: Check<GuardedValues[Name]> };

/** Checks around a model, its tools and its agent; each ends before what it guards begins. */
export type GuardOptions = Checks & {
  readonly name: string;
  /** It asks a service: each verdict is a step of the journal, so that a repeated run decides alike. Default: a pure function. */
  readonly isStep?: true;
  /** When a check throws, or takes longer than 5 s. Default: it refuses. */
  readonly onFault?: 'pass';
};

/** A guard. Made by `guard`. */
export class Guard {
  constructor(readonly options: GuardOptions) {}
}

/** Makes a guard of checks; each returns one of `verdict`. */
export function guard(options: GuardOptions): Guard {
  return new Guard(options);
}

/** What a check says. */
export const verdict = {
  pass: { kind: 'pass' },
  /** Continues with another value, such as one without names. */
  mask: <Value>(value: Value): GuardVerdict<Value> => ({ kind: 'mask', value }),
  /** Ends what is guarded: the text is for the caller, and for the model where a tool is refused. */
  refuse: (text: string): GuardVerdict<never> => ({ kind: 'refuse', text }),
  /** The caller decides; without a yes it is refused. */
  ask: (question: string): GuardVerdict<never> => ({ kind: 'ask', question }),
} as const;

/** Thrown where a guard refuses. */
export class Guarded extends SkillFailure {
  override readonly name = 'Guarded';
}

const MAX_CHECK_MS = 5_000;

/** The guards of one conversation, in their order on the way in, and in reverse on the way out. */
export class Guards {
  constructor(
    private readonly guards: readonly Guard[],
    private readonly context: SkillContext,
  ) {}

  /** Whether the text of replies is checked: it is not streamed then. */
  get holdText(): boolean {
    return this.guards.some(({ options }) => options.afterModel !== undefined || options.afterAgent !== undefined);
  }

  /** Returns the value, or another in its place. @param key names the verdict in the journal @throws Guarded */
  async checked<Name extends Place>(
    place: Name,
    value: GuardedValues[Name],
    key: string,
  ): Promise<GuardedValues[Name]> {
    const inOrder = place.startsWith('before') ? this.guards : this.guards.toReversed();
    let current = value;
    for (const { options } of inOrder) {
      const checks: Checks = options;
      const check: Check<GuardedValues[Name]> | undefined = checks[place];
      if (check === undefined) continue;
      const said = await this.verdictOf({ ...options, key: `${key} ${options.name} ${place}` }, () =>
        check(current, this.context),
      );
      if (said.kind === 'mask') current = said.value;
      else if (said.kind === 'refuse') throw new Guarded(said.text);
      else if (said.kind === 'ask') await this.ask(said.question);
    }
    return current;
  }

  private verdictOf<Value>(
    { isStep, key, ...options }: GuardOptions & { readonly key: string },
    check: () => GuardVerdict<Value> | PromiseLike<GuardVerdict<Value>>,
  ): Promise<GuardVerdict<Value>> {
    const judged = () => this.judged(options, check);
    return isStep === true ? this.context.step(`guard ${key}`, judged) : judged();
  }

  private async judged<Value>(
    { name, onFault }: Pick<GuardOptions, 'name' | 'onFault'>,
    check: () => GuardVerdict<Value> | PromiseLike<GuardVerdict<Value>>,
  ): Promise<GuardVerdict<Value>> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(reject, MAX_CHECK_MS, new Error('It took too long'));
      });
      return await Promise.race([Promise.resolve(check()), late]);
    } catch (error) {
      this.context.signal.throwIfAborted();
      this.context.log.warn('A guard has failed', { guard: name, reason: String(error), passes: onFault === 'pass' });
      return onFault === 'pass' ? verdict.pass : verdict.refuse('A check of this request has failed.');
    } finally {
      clearTimeout(timer);
    }
  }

  private async ask(question: string): Promise<void> {
    const answer = await this.context.ask({ question, schema: VERDICT, onTimeout: { value: undefined } });
    const { approved, reason = 'It was not approved.' } = answer.isTimeout ? { approved: false } : verdictOf(answer);
    if (!approved) throw new Guarded(reason);
  }
}
