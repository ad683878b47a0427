import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { JoinedRedis } from '../../../src/platform/redis/connection/joined-redis.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';

/** A process that listens to a channel by a wire that is cut, and then swallows what asks for the channel again until it is cut once more. */
const PROGRAM = `
  import { once } from 'node:events';
  import { connect as dial, createServer } from 'node:net';
  import { setTimeout as pause } from 'node:timers/promises';
  import { connect } from './src/platform/redis/connection/redis-client.js';

  const url = new URL(process.argv[1]);
  const { hostname, port } = url;
  const sockets = new Set();
  let [swallows, swallowed] = [false, 0];
  const wire = createServer((socket) => {
    const there = dial(Number(port), hostname);
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => there.destroy());
    socket.on('data', (bytes) => {
      if (swallows && /subscribe/i.test(bytes)) swallowed += 1;
      else there.write(bytes);
    });
    there.on('error', () => undefined).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(wire, 'listening');
  url.port = String(wire.address().port);
  const redis = connect(url.href, 'subscriber');
  redis.on('error', () => undefined);
  await redis.subscribe('channel');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    return once(redis, 'ready');
  };
  swallows = true;
  await cut();
  await pause(2_500);
  swallows = false;
  await cut();
  const heard = once(redis, 'message');
  const teller = connect(process.argv[1], 'command');
  const saying = setInterval(() => void teller.publish('channel', 'hello'), 50);
  console.log('swallowed', swallowed, 'heard', ...(await heard));
  clearInterval(saying);
  process.exit(0);
`;

describe(JoinedRedis.name, () => {
  it('subscribes again over the next connection where Redis did not answer, and ends no process', async () => {
    const args = ['--import', './test/kit/run/typescript.mjs', '--input-type=module', '-e', PROGRAM, testRedisUrl()];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toBe('swallowed 1 heard channel hello\n');
  }, 30_000);
});
