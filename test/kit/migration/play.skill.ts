import type { SkillEvent } from '../../../src/skill/events.js';
import { artifact, chunk, inputRequired, working } from '../../../src/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '../../../src/skill/skill.js';

/** A word of a script and what belongs to it (scripts/migration/schema-2-service.mjs). */
type Line = readonly [word: string, ...rest: readonly unknown[]];

/** Follows the script in its message, as the skill of the fixture does; where that one waited for ever, it goes on. */
async function* play(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
  const { script = [] } = (context.messages.at(-1)?.metadata ?? {}) as { readonly script?: readonly Line[] };
  for (const [word, first, second, third] of script) {
    const [name, text] = [String(first), String(second)];
    if (word === 'say') yield working(name);
    else if (word === 'ask') yield inputRequired(name);
    else if (word === 'artifact') yield artifact(name, text);
    else if (word === 'chunk') yield chunk(name, text, { last: third === true });
    else if (word === 'step') yield working(await context.step(name, () => Promise.resolve(`${name} of this edition`)));
    else if (word === 'recall')
      yield artifact(name, JSON.stringify([await context.state.get(name), await context.contextState.get(text)]));
  }
}

const card = { description: 'Follows the script in its message.', tags: ['test'] };

@Skill({ ...card, id: 'play', name: 'Play' })
export class PlaySkill implements SkillHandler {
  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    return play(context);
  }
}

@Skill({ ...card, id: 'limited', name: 'Limited', concurrency: 1 })
export class LimitedSkill implements SkillHandler {
  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    return play(context);
  }
}
