import { artifact, chunk, type SkillEvent, working } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, SkillFailure, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { PAGE_SKILLS } from '../agui/skills.js';

type Events = AsyncGenerator<SkillEvent, void, void>;

/** The texts that began runs of `words` and `fails`. */
export const begun: string[] = [];

/** Writes its text word by word, shows progress, and ends with a second artifact and a file. */
@Skill({ id: 'words', name: 'words', description: 'For tests: words.', tags: [], outputModes: ['*/*'] })
class WordsSkill implements SkillHandler {
  async *run({ text }: SkillContext): Events {
    begun.push(text);
    yield working('writing');
    const words = text.split(' ');
    for (const [at, word] of words.entries())
      yield chunk('words', at === 0 ? word : ` ${word}`, { last: at === words.length - 1 });
    yield artifact('end', 'The end.');
    yield artifact('file', [{ url: 'https://files.example/a b.pdf', filename: 'a[1].pdf' }]);
  }
}

@Skill({ id: 'fails', name: 'fails', description: 'For tests: fails.', tags: [], maxAttempts: 1 })
class FailsSkill implements SkillHandler {
  // eslint-disable-next-line require-yield -- it fails before
  async *run({ text }: SkillContext): Events {
    begun.push(text);
    throw new SkillFailure('It broke.');
  }
}

@Skill({ id: 'quick', name: 'quick', description: 'For tests: quick.', tags: [], direct: true })
class QuickSkill implements SkillHandler {
  async *run(): Events {
    yield artifact('answer', 'at once');
  }
}

export const CHAT_SKILLS = [...PAGE_SKILLS, WordsSkill, FailsSkill, QuickSkill];
