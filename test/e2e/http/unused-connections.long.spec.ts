import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from '@jest/globals';
import { runApp } from '../../kit/app/running-app.js';

it('connections on which nothing was asked do not hold up the end of the process', async () => {
  const service = await runApp();
  const server = service.app.getHttpServer();
  const accepted = once(server, 'connection');
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const cut = once(socket, 'close');
  try {
    await accepted;
    await service.close();
    await cut;
    expect(socket.bytesRead).toBe(0);
  } finally {
    socket.destroy();
  }
}, 10_000);
