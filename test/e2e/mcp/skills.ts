import { setTimeout as pause } from 'node:timers/promises';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import {
  artifact,
  authRequired,
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
const JSON_MODES = { inputModes: ['application/json'], outputModes: ['application/json'] };

class Numbers {
  @IsInt()
  @Min(0)
  readonly n!: number;

  @IsOptional()
  @IsInt()
  @Max(60_000)
  readonly ms?: number;
}

/** Doubles a number, after a while. */
@Skill({ ...about('double'), ...JSON_MODES, input: Numbers, output: Numbers, effects: 'none', reachesOut: false })
class DoubleSkill implements SkillHandler {
  async *run({ input, signal }: SkillContext<Numbers>): Events {
    yield working('counting');
    await pause(input.ms ?? 0, undefined, { signal });
    yield artifact('result', [{ data: { n: input.n * 2 } }]);
  }
}

/** How often each skill has run, and seen its signal abort. */
export const SEEN = { runs: 0, aborted: 0 };

/** Works until it is told to stop. */
@Skill({ ...about('endless') })
class EndlessSkill implements SkillHandler {
  async *run({ signal }: SkillContext): Events {
    SEEN.runs += 1;
    yield working('on and on');
    await pause(60_000, undefined, { signal }).catch(() => {
      SEEN.aborted += 1;
    });
    signal.throwIfAborted();
  }
}

/** Asks for a number, or for a login. */
@Skill({ ...about('asking'), inputModes: ['text/plain', 'application/json'] })
class AskingSkill implements SkillHandler {
  async *run({ turn, data, text }: SkillContext): Events {
    const properties = { n: { type: 'integer', minimum: 0 } };
    if (turn === 1 && text === 'login') yield authRequired([{ text: 'Log in.' }, { url: 'https://login.example/' }]);
    else if (turn === 1) {
      yield working('thinking');
      yield inputRequired([
        { text: 'Which number?' },
        { data: { form: { schema: { type: 'object', properties, required: ['n'] } } } },
      ]);
    } else yield completed(`got ${JSON.stringify(data)} ${text}`);
  }
}

/** Asks in the midst of its turn. */
@Skill({ ...about('inquiring') })
class InquiringSkill implements SkillHandler {
  async *run({ ask }: SkillContext): Events {
    const answer = await ask({ question: 'Which colour?' });
    yield completed(`it is ${JSON.stringify(answer)}`);
  }
}

/** Says what a message of the caller asks for. */
@Skill({ ...about('obey'), scopes: ['skill:obey'] })
class ObeySkill implements SkillHandler {
  async *run({ text }: SkillContext): Events {
    if (text === 'reject') yield rejected('No.');
    else if (text === 'fail') throw new SkillFailure('It failed.');
    else if (text === 'break') throw new Error('secret cause');
    else yield completed(`done: ${text}`);
  }
}

@Skill({ ...about('quick'), direct: true })
class QuickSkill implements SkillHandler {
  async *run({ text }: SkillContext): Events {
    yield completed(`quick ${text}`);
  }
}

export const MCP_SKILLS = [DoubleSkill, EndlessSkill, AskingSkill, InquiringSkill, ObeySkill, QuickSkill];
