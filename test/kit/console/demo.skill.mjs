// The skills of the console's demo: an agent with children, a question, a stream, a run that breaks, long work. They run inside
// the built service, so they import what was built.
import { Buffer } from 'node:buffer';
import { setTimeout as pause } from 'node:timers/promises';
import { artifact, chunk, completed, inputRequired, rejected, working } from '@parley/sdk/skill/events.js';
import { Skill, SkillFailure } from '@parley/sdk/skill/skill.js';

const SOURCES = ['annual report', 'customer letters', 'support tickets'];

/** Asks three readers at once and writes a brief of what they say. */
class ResearchSkill {
  async *run(context) {
    const { text, call, map, step } = context;
    yield working('Planning');
    const plan = await step('plan', async () => {
      await pause(120);
      return SOURCES.map((source) => `${source}: ${text}`);
    });
    yield working('Reading three sources');
    const { done, failed } = await map(plan, (question) => call('read_source', question), { onFailure: 'collect' });
    yield working(`${done.length} of ${plan.length} sources answered`);
    await step('write', async () => {
      await pause(180);
      return done.length;
    });
    const notes = done.map(({ artifacts = [] }) =>
      artifacts.flatMap(({ parts }) => parts.map((part) => part.text ?? '')).join(' '),
    );
    const gaps = failed.length === 0 ? '' : `\n\nOne source could not be read.`;
    yield artifact('brief', `Brief: ${text}\n\n${notes.join('\n')}${gaps}`, { name: 'Brief' });
    yield completed('The brief is ready.');
  }
}

/** Reads one source; support tickets are out of reach. */
class ReadSourceSkill {
  async *run({ text, step }) {
    yield working('Opening');
    await step('open', () => pause(90 + (text.length % 7) * 40));
    if (text.startsWith('support')) throw new SkillFailure('The ticket system did not answer within 10 s.');
    const found = await step('search', async () => {
      await pause(160);
      return `Two passages in the ${text.split(':', 1)[0]} speak of it.`;
    });
    yield artifact('notes', found, { name: 'Notes' });
  }
}

/** Asks a person before money leaves. */
class RefundSkill {
  async *run({ text, turn, step }) {
    if (turn === 1) {
      const order = await step('find order', async () => {
        await pause(140);
        return { order: 'A-20417', amount: '84.50 EUR' };
      });
      yield artifact('order', [{ data: order }], { name: 'Order' });
      yield inputRequired(`Refund ${order.amount} for the order ${order.order}? Answer yes or no.`);
      return;
    }
    if (!/^y/i.test(text)) {
      yield rejected('Not refunded.');
      return;
    }
    await step('pay', () => pause(200));
    yield completed('Refunded.');
  }
}

/** Writes piece by piece. */
class TranslateSkill {
  async *run({ text, signal }) {
    yield working('Translating');
    const words = text.split(/\s+/).slice(0, 60);
    for (const [at, word] of words.entries()) {
      await pause(25, undefined, { signal });
      yield chunk('translation', `${word.split('').toReversed().join('')} `, {
        name: 'Translation',
        last: at === words.length - 1,
      });
    }
  }
}

/** Breaks in its first run of a turn: the next one goes on. */
class ImportSkill {
  async *run({ attempt, step }) {
    await step('download', () => pause(150));
    if (attempt === 1) throw new Error('connection reset by peer');
    await step('check', () => pause(110));
    yield completed('1,204 rows were imported.');
  }
}

/** Works for long, so that there is something at work to see. */
class IndexSkill {
  async *run({ signal, step }) {
    await step('count', () => pause(80));
    for (let percent = 0; percent < 100; percent += 1) {
      yield working(`${percent} % of the catalogue is indexed`);
      await pause(6_000, undefined, { signal });
    }
  }
}

const DECISION = {
  type: 'object',
  properties: { approve: { type: 'boolean', title: 'Pay it' }, limit: { type: 'number', title: 'At most, EUR' } },
  required: ['approve'],
};

/** Asks for a decision with a schema, and goes on with it. */
class PayoutSkill {
  async *run({ text, ask }) {
    const { value } = await ask({ question: `Pay ${text}?`, schema: DECISION, timeoutMs: 45 * 60_000 });
    yield completed(value.approve ? `Paid, at most ${value.limit} EUR.` : 'Not paid.');
  }
}

/** Has its payout decided by a person. */
class PurchaseSkill {
  async *run({ text, call }) {
    await call('payout', text);
    yield completed('Bought.');
  }
}

/** Breaks in each of its runs; `outer` breaks with its child. */
class BrokenSkill {
  // eslint-disable-next-line require-yield
  async *run({ text, attempt, call }) {
    if (text === 'outer') await call('broken', 'inner');
    throw new TypeError(`price ${attempt} is undefined`);
  }
}

/** Asks with the schema that it is sent, or turn by turn with a text, until that is `done`. */
class AskSkill {
  async *run({ text, turn, ask }) {
    if (text.startsWith('{')) {
      const { value } = await ask({ question: 'What do you decide?', schema: JSON.parse(text) });
      yield completed(`Decided: ${JSON.stringify(value)}`);
    } else if (text === 'done') {
      yield completed('Done.');
    } else {
      yield inputRequired(`Question ${turn}?`);
    }
  }
}

/** Gives back what it was told, in every place where an agent can put words. */
class MirrorSkill {
  async *run({ text }) {
    yield artifact(text.slice(0, 200), [{ text }, { data: { [text.slice(0, 100)]: text } }], {
      name: text.slice(0, 2_000),
      description: text,
    });
    yield artifact('file', [
      {
        raw: Buffer.from('<script>window.__ran=1</script>').toString('base64'),
        filename: text.slice(0, 200),
        mediaType: 'text/html',
      },
    ]);
    yield artifact('page', [{ text, mediaType: 'text/markdown' }], { name: 'page.md' });
    yield artifact('link', [{ url: 'javascript:window.__ran=1', filename: text.slice(0, 200) }]);
    yield completed(text);
  }
}

/** Gives back the files that it was sent. */
class FilesSkill {
  async *run({ messages }) {
    const files = messages.flatMap(({ parts }) => parts.filter(({ raw }) => raw !== undefined));
    yield artifact('files', files, { name: 'Files' });
    yield completed('Done.');
  }
}

const declare = (skill, id, name, description, more = {}) => {
  Skill({ id, name, description, tags: ['demo'], ...more })(skill);
  return skill;
};

export const DEMO_SKILLS = [
  declare(ResearchSkill, 'research', 'Research', 'Asks three readers at once and writes a brief.', {
    examples: ['Why do customers leave?'],
    calls: ['read_source'],
  }),
  declare(ReadSourceSkill, 'read_source', 'Read a source', 'Reads one source for a question.'),
  declare(RefundSkill, 'refund', 'Refund', 'Refunds an order once a person has agreed.', {
    examples: ['Refund order A-20417'],
  }),
  declare(TranslateSkill, 'translate', 'Translate', 'Translates a text, word by word.', {
    examples: ['The lamp is on the table'],
  }),
  declare(ImportSkill, 'import', 'Import', 'Imports a file; its first try fails.', { maxAttempts: 3 }),
  declare(PayoutSkill, 'payout', 'Payout', 'Pays once a person has decided.'),
  declare(PurchaseSkill, 'purchase', 'Purchase', 'Buys once its payout is decided.', { calls: ['payout'] }),
  declare(BrokenSkill, 'broken', 'Broken', 'Breaks in each run.', { maxAttempts: 2, calls: ['broken'] }),
  declare(AskSkill, 'ask', 'Ask', 'Asks what its caller wants to be asked.'),
  declare(MirrorSkill, 'mirror', 'Mirror', 'Gives back what it was told.'),
  declare(FilesSkill, 'files', 'Files', 'Gives back the files that it was sent.', {
    inputModes: ['*/*'],
    outputModes: ['*/*'],
  }),
  declare(IndexSkill, 'index', 'Index', 'Indexes a catalogue, for ten minutes.'),
];
