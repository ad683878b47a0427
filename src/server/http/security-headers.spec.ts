import helmet from '@fastify/helmet';
import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { SECURITY_HEADERS } from './security-headers.js';

describe('SECURITY_HEADERS', () => {
  it('are those of the installed helmet', async () => {
    const asked = fastify();
    await asked.register(helmet, { contentSecurityPolicy: { directives: { defaultSrc: ["'none'"] } } });
    asked.get('/', (_request, reply) => reply.send(reply.getHeaders()));
    const headers = (await asked.inject('/')).json<Readonly<Record<string, string>>>();
    await asked.close();
    expect(SECURITY_HEADERS).toEqual(headers);
  });
});
