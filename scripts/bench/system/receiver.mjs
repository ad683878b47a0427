// A webhook receiver in a process of its own: answers at once and counts.
import { createServer } from 'node:http';

let expected = Infinity;
let arrived = 0;
let whenDone = () => undefined;

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.end();
    arrived += 1;
    if (arrived >= expected) whenDone();
  });
});
server.keepAliveTimeout = 65_000;

process.on('message', async ({ order, count = 0 }) => {
  if (order === 'listen') {
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    process.send({ result: server.address().port });
  }
  if (order === 'expect') {
    [arrived, expected] = [0, count];
    process.send({ result: 'counting' });
  }
  if (order === 'done') {
    if (arrived < expected) await new Promise((resolve) => (whenDone = resolve));
    process.send({ result: arrived });
  }
});
process.on('disconnect', () => process.exit(0));
