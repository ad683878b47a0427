import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inputRequired, type SkillEvent, working, artifact } from '../../../src/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '../../../src/skill/skill.js';
import { eventually } from '../../kit/eventually.js';
import { parley } from '../../kit/parley-command.js';
import { type RunningApp, runApp } from '../../kit/running-app.js';

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
