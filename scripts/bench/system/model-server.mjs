// A language model for the benchmark, in a process of its own: the chat completions of OpenAI as a stream. The message says how many tokens
// it answers with; each is the time at which it is sent, by a clock that all processes of the machine share.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { clearInterval, setInterval } from 'node:timers';
import { monotonicMs } from './work.mjs';

/** 200 tokens a second: twice as many as quick models give. */
const TOKEN_EVERY_MS = 5;

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => (body += piece));
  request.on('end', () => stream(response, Number(JSON.parse(body).messages.at(-1).content)));
});

function stream(response, count) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (data) => response.write(`data: ${JSON.stringify(data)}\n\n`);
  let sent = 0;
  const began = monotonicMs();
  const timer = setInterval(() => {
    // A timer that was late catches up: the pace is that of the model, not that of the machine.
    while (sent < count && monotonicMs() - began >= sent * TOKEN_EVERY_MS) {
      event({ choices: [{ index: 0, delta: { content: monotonicMs().toFixed(3) }, finish_reason: null }] });
      sent += 1;
    }
    if (sent < count) return;
    clearInterval(timer);
    event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: count } });
    response.end('data: [DONE]\n\n');
  }, 1);
  response.once('close', () => clearInterval(timer));
}

process.on('message', async () => {
  await listening;
  process.send({ result: `http://127.0.0.1:${String(server.address().port)}/v1` });
});
process.on('disconnect', () => process.exit(0));
const listening = once(server.listen(0, '127.0.0.1'), 'listening');
