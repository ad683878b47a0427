import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inputRequired, type SkillEvent, working, artifact } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { eventually } from '../../../kit/run/eventually.js';
import { parley } from '../../../kit/app/parley-command.js';
import { type RunningApp, runApp } from '../../../kit/app/running-app.js';

/** The agent of seed 003's host session: reimburses, and asks for what a form has not. */
@Skill({
  id: 'reimburse',
  name: 'Reimburse',
  description: 'Reimburses expenses.',
  tags: ['expenses'],
  examples: ['Reimburse 20 EUR'],
  inputModes: ['text/plain', 'application/json'],
})
class ReimburseSkill implements SkillHandler {
  async *run({ text, turn, data, sleep }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const schema = { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } };
    if (turn === 1 && !/\d/.test(text)) {
      yield inputRequired([{ text: 'How much?' }, { data: { form: { schema } } }]);
      return;
    }
    yield working('checking');
    await sleep(100);
    yield artifact('receipt', [{ text: `Reimbursed ${JSON.stringify(data[0] ?? text)}` }]);
  }
}

const printed = { out: '', err: '' };
let receiver: Promise<unknown>;
let hook: string;
let service: RunningApp;

beforeAll(async () => {
  receiver = parley(['webhook', 'listen', '--port', '0', '--token', 'tok', '--count', '2', '-o', 'json'], { printed });
  hook = await eventually(() => {
    const [, url = ''] = /Listening: (\S+)/.exec(printed.err) ?? [];
    expect(url).not.toBe('');
    return url;
  });
  service = await runApp({ EGRESS_ALLOW: `${new URL(hook).host}=127.0.0.1/32!http` }, { skills: [ReimburseSkill] });
});

afterAll(() => service.close());

const at = (...args: readonly string[]) => parley([...args, '-a', service.url]);

describe("the session of seed 003's host, in the words of docs/cli.md", () => {
  it('O-64, O-68: discovers, sends, streams, is asked, answers, and is notified', async () => {
    expect((await at('card', 'get')).out).toContain('Skill: reimburse: Reimburse\n');

    expect((await at('send', 'Reimburse 20 EUR')).out).toContain('Reimbursed "Reimburse 20 EUR"');

    const streamed = await at('send', 'Reimburse 30 EUR', '--stream', '-o', 'json');
    const events = streamed.out
      .trim()
      .split('\n')
      .map((line) => Object.keys(JSON.parse(line) as object)[0]);
    expect([events[0], events.at(-1)]).toEqual(['task', 'statusUpdate']);
    expect(events).toContain('artifactUpdate');

    const asked = await at('send', 'Reimburse me');
    expect(asked.out).toContain('State: TASK_STATE_INPUT_REQUIRED\nStatus:\nHow much?\n');
    const [, id = ''] = /^Task: (\S+)/.exec(asked.out) ?? [];

    const registered = await at('task', 'push-config', 'create', id, hook, '--token', 'tok');
    expect(registered.code).toBe(0);

    const answered = await at('task', 'answer', id, '--field', 'amount=40');
    expect(answered.err).toBe('');
    expect(answered.out).toContain('State: TASK_STATE_COMPLETED\n');
    expect(answered.out).toContain('Reimbursed {"amount":40}');

    await receiver;
    expect(printed.out).toContain(`"taskId":"${id}"`);
    expect(printed.out).toContain('{"name":"token","isRight":true}');
  });
});

/** The commands of the README, with what each prints of its result there. */
async function readmeSession(): Promise<readonly { readonly args: readonly string[]; readonly shown: string }[]> {
  const readme = await readFile(new URL('../../../../README.md', import.meta.url), 'utf8');
  const [, block = ''] = /```console\n(\$ parley[\s\S]*?)```/.exec(readme) ?? [];
  return block
    .split(/^\$ parley /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...shown] = text.trim().split('\n');
      return { args: command.split(' '), shown: shown.join('\n') };
    });
}

describe('the session of the README', () => {
  let folder: string;
  let own: RunningApp;
  const heard = { out: '', err: '' };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-readme-'));
    await writeFile(join(folder, 'invoice.json'), JSON.stringify({ invoiceNumber: 'I-1', total: 5 }));
  });

  afterAll(async () => {
    await own.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('O-64, SEED-63: does what each line says: discover, send, stream, be asked, receive, answer', async () => {
    const [listen, ...session] = await readmeSession();
    expect(session.map(({ args }) => args[0])).toEqual(['card', 'send', 'send', 'send', 'task', 'task']);
    const listening = parley([...(listen?.args ?? []), '--port', '0', '--count', '2'], { printed: heard });
    const url = await eventually(() => {
      const [, found = ''] = /Listening: (\S+)/.exec(heard.err) ?? [];
      expect(found).not.toBe('');
      return found;
    });
    own = await runApp({ EGRESS_ALLOW: `${new URL(url).host}=127.0.0.1/32!http` });
    let id = '';
    for (const { args, shown } of session) {
      const places: Readonly<Record<string, string>> = {
        ...{ 'localhost:3000': own.url, 'http://localhost:8888/': url, '<task>': id },
        'invoice.json': join(folder, 'invoice.json'),
      };
      const { code, out, err } = await parley(args.map((word) => places[word] ?? word));
      expect({ args, code, err: err.replace(/^Warning: the task waits.*\n/, '') }).toEqual({ args, code: 0, err: '' });
      expect(out).toContain(shown);
      id = /^Task: (\S+)/.exec(out)?.[1] ?? id;
    }
    await listening;
    expect(heard.out).toContain(id);
  });
});
