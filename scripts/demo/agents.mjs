// The part of `npm run demo` on agents: a tree of tasks that reads, reviews and writes, without a language model.
import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { SendMessageRequest, StreamResponse } from '@a2a-js/sdk';

const TEXT = new URL('text.txt', import.meta.url);

/** Streams two agents and prints what comes. */
export async function showAgents(client, expect) {
  const text = await readFile(TEXT, 'utf8');
  const half = text.indexOf('\n\n', text.length / 2);

  console.log('  briefing: two texts and an address that is not there, summarized at the same time and merged');
  const sources = ['https://reports.invalid/gone.txt'];
  const data = { texts: [text.slice(0, half), text.slice(half)], sources };
  const briefing = await streamed(client, { parts: [{ data }], metadata: { skillId: 'briefing' } });
  expect(briefing.state === 'TASK_STATE_COMPLETED', `the briefing is complete, not ${briefing.state}`);
  expect(briefing.data?.failed?.length === 1, 'the source that failed is named');
  expect(briefing.text.includes('[2]'), 'the briefing cites its sources');
  console.log(briefing.text.replace(/^/gm, '    '));

  console.log('\n  polish_summary: drafts of at most 60 words, reviewed until no rule is broken');
  const polished = await streamed(client, {
    parts: [{ text }, { data: { maxWords: 60 } }],
    metadata: { skillId: 'polish_summary' },
  });
  const { accepted, rounds, words } = polished.data ?? {};
  expect(
    accepted === true && words <= 60,
    `a summary of at most 60 words is accepted, not ${JSON.stringify(polished.data)}`,
  );
  console.log(`    ${String(words)} words after ${String(rounds)} rounds: ${polished.text}`);
}

async function streamed(client, message) {
  const seen = { text: '' };
  const request = { message: { messageId: randomUUID(), role: 'ROLE_USER', ...message } };
  for await (const event of client.sendMessageStream(SendMessageRequest.fromJSON(request))) {
    const { task, statusUpdate, artifactUpdate } = StreamResponse.toJSON(event);
    for (const part of artifactUpdate?.artifact.parts ?? []) {
      if (part.text !== undefined) seen.text += part.text;
      seen.data ??= part.data;
    }
    const status = (task ?? statusUpdate)?.status;
    if (status === undefined) continue;
    seen.state = status.state;
    console.log(
      `    ${status.state.padEnd(26)} ${(status.message?.parts ?? []).map((part) => part.text ?? '').join('')}`,
    );
  }
  return seen;
}
