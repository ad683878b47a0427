// A built service of schema 2 (commit 6ad73c9) with skills that follow the script in their message, so that one program
// can leave tasks in every state behind. Its only argument is the folder of that checkout.
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const from = (path) => import(new URL(path, pathToFileURL(`${process.argv[2]}/dist/`)).href);
await from('../node_modules/reflect-metadata/Reflect.js');
const { start } = await from('start.js');
const events = await from('skill/events.js');
const { Skill, SkillFailure } = await from('skill/skill.js');

/** Events of a script by their first word. */
const EVENTS = {
  say: (text, metadata) => events.working(text, metadata),
  ask: (text) => events.inputRequired(text),
  authorize: (text) => events.authRequired(text),
  reject: (text) => events.rejected(text),
  end: (text) => events.completed(text),
  artifact: (id, text, options) => events.artifact(id, text, options),
  chunk: (id, text, last) => events.chunk(id, text, { last }),
};

async function* play(context) {
  for (const [word, ...rest] of context.messages.at(-1)?.metadata?.script ?? []) {
    if (word in EVENTS) yield EVENTS[word](...rest);
    else if (word === 'wait') await pause(rest[0], undefined, { signal: context.signal });
    else if (word === 'sleep') await pause(rest[0]);
    else if (word === 'fail') throw new SkillFailure(rest[0]);
    else if (word === 'break') throw new Error('broken');
    else if (word === 'remember') await context.state.set(...rest);
    else if (word === 'share') await context.contextState.set(...rest);
    else if (word === 'step') yield events.working(await context.step(rest[0], async () => `${rest[0]} of schema 2`));
    else throw new Error(`Unknown word: ${word}`);
  }
}

class PlaySkill {
  run(context) {
    return play(context);
  }
}

class LimitedSkill extends PlaySkill {}

const card = { description: 'Follows the script in its message.', tags: ['test'] };
Skill({ ...card, id: 'play', name: 'Play' })(PlaySkill);
Skill({ ...card, id: 'limited', name: 'Limited', concurrency: 1 })(LimitedSkill);

await start({ skills: [PlaySkill, LimitedSkill] });
