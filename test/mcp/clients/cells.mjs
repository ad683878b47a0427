import assert from 'node:assert/strict';

/** What every client must see of the fixture service. `client` is the driver of one official client. */
export const CELLS = [
  [
    'lists tools',
    async (client) => {
      const names = (await client.listTools()).map(({ name }) => name);
      assert.ok(names.includes('greet') && names.includes('parley_task_get'));
    },
  ],
  ['calls a tool', async (client) => assert.equal(textOf(await client.call('greet', { name: 'Ann' })), 'Hello, Ann!')],
  [
    'reads why arguments are wrong',
    async (client) => {
      const result = await client.call('greet', {});
      assert.equal(result.isError, true);
      assert.match(textOf(result), /^name: /);
    },
  ],
  [
    'sees progress',
    async (client) => {
      const seen = [];
      await client.call('test_tool_with_progress', {}, (progress) => seen.push(progress));
      assert.ok(seen.length >= 3 && seen.every((value, at) => at === 0 || value > seen[at - 1]));
    },
  ],
  [
    'answers a question',
    async (client) => {
      const result = await client.call('test_input_required_result_elicitation', {});
      assert.equal(textOf(result), 'Hello, Ann!');
    },
  ],
  [
    'reads a resource',
    async (client) => {
      const { contents } = await client.read('test://static-text');
      assert.match(contents[0].text, /^This is the content/);
    },
  ],
];

function textOf({ content }) {
  return content.map(({ text }) => text).join('');
}
