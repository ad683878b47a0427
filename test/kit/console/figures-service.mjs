// The built service as `npm start` runs it, with the skills of `npm run console:figures`.
import 'reflect-metadata';
import { artifact, completed, working } from '../../../dist/skill/events.js';
import { Skill } from '../../../dist/skill/skill.js';
import { start } from '../../../dist/start.js';

/** Ends at once. */
class QuickSkill {
  async *run({ text }) {
    yield artifact('answer', text);
    yield completed('Done.');
  }
}

/** Says as many things as its message asks for. */
class TalkSkill {
  async *run({ text }) {
    for (let at = 1; at <= Number(text); at += 1) yield working(`line ${at}`);
    yield completed('Done.');
  }
}

const DECISION = { type: 'object', properties: { approve: { type: 'boolean' } }, required: ['approve'] };

/** Asks for a decision. */
class AskSkill {
  async *run({ ask }) {
    const { value, sender } = await ask({ question: 'Pay?', schema: DECISION });
    yield completed(`${value.approve} by ${sender.client}`);
  }
}

const declare = (skill, id) => {
  Skill({ id, name: id, description: 'For figures of the console.', tags: ['figures'] })(skill);
  return skill;
};

await start({ skills: [declare(QuickSkill, 'quick'), declare(TalkSkill, 'talk'), declare(AskSkill, 'ask')] });
