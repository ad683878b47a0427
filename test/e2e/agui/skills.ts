import { setTimeout as pause } from 'node:timers/promises';
import { IsInt, Min } from 'class-validator';
import {
  artifact,
  chunk,
  completed,
  inputRequired,
  rejected,
  type SkillEvent,
  working,
} from '@parley/sdk/skill/events.js';
import {
  Skill,
  type SkillContext,
  SkillFailure,
  type SkillHandler,
  type SkillOptions,
} from '@parley/sdk/skill/skill.js';

type Events = AsyncGenerator<SkillEvent, void, void>;

const about = (id: string): Pick<SkillOptions, 'id' | 'name' | 'description' | 'tags' | 'maxAttempts'> => ({
  ...{ id, name: id, description: `For tests: ${id}.`, tags: [], maxAttempts: 1 },
});

/** Returns what it got: parts, and the metadata of the message. */
@Skill({ ...about('tell'), inputModes: ['*/*', 'text/plain', 'application/json'], outputModes: ['application/json'] })
class TellSkill implements SkillHandler {
  async *run({ messages }: SkillContext): Events {
    yield artifact('told', [{ data: messages.map(({ parts, metadata }) => ({ parts, metadata })) }]);
  }
}

class Count {
  @IsInt()
  @Min(0)
  readonly n!: number;
}

/** Doubles a number. */
@Skill({
  ...about('double'),
  inputModes: ['application/json'],
  outputModes: ['application/json'],
  input: Count,
  output: Count,
})
class DoubleSkill implements SkillHandler {
  async *run({ input }: SkillContext<Count>): Events {
    yield artifact('result', [{ data: { n: input.n * 2 } }]);
  }
}

/** Writes as many numbers as its text says, with a pause in between: `<count> <ms>`. */
@Skill(about('count'))
class CountSkill implements SkillHandler {
  async *run({ text, signal }: SkillContext): Events {
    const [count = 3, ms = 0] = text.split(' ').map(Number);
    yield working('counting');
    for (let n = 0; n < count; n += 1) {
      yield chunk('numbers', `${String(n)};`, { name: 'Numbers' });
      if (ms > 0) await pause(ms, undefined, { signal });
    }
    yield completed('counted');
  }
}

/** Fails, or rejects. */
@Skill(about('end'))
class EndSkill implements SkillHandler {
  async *run({ text }: SkillContext): Events {
    if (text === 'reject') yield rejected('not today');
    else throw new SkillFailure('no paper');
  }
}

/** How often an answer was acted on. */
export const ACTED: unknown[] = [];

/** Says something, asks by a form, and acts on the answer. */
@Skill(about('confirm'))
class ConfirmSkill implements SkillHandler {
  async *run({ ask, text }: SkillContext): Events {
    yield chunk('story', 'before; ');
    const schema = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] };
    const { value } = await ask({ question: 'How much?', schema, ...(text === 'brief' ? { timeoutMs: 300 } : {}) });
    ACTED.push(value);
    yield chunk('story', `after ${JSON.stringify(value)}`, { last: true });
  }
}

/** Asks for an approval that its caller may not give. */
@Skill(about('approve'))
class ApproveSkill implements SkillHandler {
  async *run({ ask }: SkillContext): Events {
    const { value } = await ask({ question: 'Pay?', schema: { type: 'boolean' }, approvers: { clients: ['boss'] } });
    yield completed(value === true ? 'paid' : 'not paid');
  }
}

/** Asks in words, twice, and ends its turns with that. */
@Skill({ ...about('interview'), inputModes: ['text/plain', 'application/json'] })
class InterviewSkill implements SkillHandler {
  async *run({ turn, text, data }: SkillContext): Events {
    if (turn < 3) yield inputRequired(turn === 1 ? 'Your name?' : `And the city, ${text}?`);
    else yield completed(`from ${text}${data.length === 0 ? '' : JSON.stringify(data)}`);
  }
}

/** Two children ask. */
@Skill(about('both'))
class BothSkill implements SkillHandler {
  async *run({ call }: SkillContext): Events {
    const answers = await Promise.all([call('word', 'first'), call('word', 'second')]);
    yield completed(answers.map(({ text }) => text).join(' and '));
  }
}

@Skill(about('word'))
class WordSkill implements SkillHandler {
  async *run({ ask, text }: SkillContext): Events {
    const { value } = await ask({ question: `The ${text} word?`, schema: { type: 'string' } });
    yield completed(String(value));
  }
}

/** Has three children. */
@Skill(about('team'))
class TeamSkill implements SkillHandler {
  async *run({ call }: SkillContext): Events {
    yield working('asking three');
    await Promise.all([1, 2, 3].map((n) => call('count', `${String(n)} 5`)));
    yield completed('all three');
  }
}

/** Needs a scope that not every caller has. */
@Skill({ ...about('secret'), scopes: ['skill:secret'] })
class SecretSkill implements SkillHandler {
  async *run(): Events {
    yield completed('secret');
  }
}

export const PAGE_SKILLS = [
  ...[TellSkill, DoubleSkill, CountSkill, EndSkill, ConfirmSkill, ApproveSkill, InterviewSkill, BothSkill, WordSkill],
  SecretSkill,
  TeamSkill,
];
