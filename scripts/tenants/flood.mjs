// The tenant that takes all it can get, in a thread of its own: so many files a second, whether or not earlier ones are
// answered, and no more than its connections. Says at the end how often it got which answer.
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';

const { url, key, bytes, perSecond, seconds } = workerData;
const AT_ONCE = 40;

const pool = new Pool(url, { connections: AT_ONCE, headersTimeout: 60_000 });
const file = Buffer.alloc(bytes, 'A');
const head = (id) =>
  `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"configuration":{"returnImmediately":true},"message":{"messageId":"${id}","role":"ROLE_USER","metadata":{"skillId":"echo"},"parts":[{"mediaType":"application/octet-stream","raw":"`;
const TAIL = '"}]}}}';
const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': key };

/** @type {Record<string, number>} */
const answers = {};
const count = (name) => {
  answers[name] = (answers[name] ?? 0) + 1;
};

let underWay = 0;
async function send() {
  if (underWay >= AT_ONCE) return count('not sent: all connections wait');
  underWay += 1;
  try {
    const body = Buffer.concat([Buffer.from(head(randomUUID())), file, Buffer.from(TAIL)]);
    const response = await pool.request({ method: 'POST', path: '/', headers, body });
    const text = await response.body.text();
    count(response.statusCode === 200 && text.includes('"task"') ? 'accepted' : reasonOf(response.statusCode, text));
  } catch (error) {
    count(`broken: ${error.code ?? error.message}`);
  } finally {
    underWay -= 1;
  }
}

function reasonOf(status, text) {
  const { error } = JSON.parse(text);
  return `${status}: ${error?.message ?? text}`;
}

const sending = [];
for (let n = 0; n < perSecond * seconds; n += 1) {
  sending.push(send());
  await new Promise((resolve) => setTimeout(resolve, 1_000 / perSecond));
}
await Promise.all(sending);
await pool.close();
parentPort?.postMessage(answers);
