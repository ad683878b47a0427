import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { DATA_HEADERS, PAGE_HEADERS } from './security-headers.js';

/** The headers set by the installed helmet. */
async function headersOfHelmet(options: FastifyHelmetOptions): Promise<Readonly<Record<string, string>>> {
  const asked = fastify();
  await asked.register(helmet, options);
  asked.get('/', (_request, reply) => reply.send(reply.getHeaders()));
  const headers = (await asked.inject('/')).json<Readonly<Record<string, string>>>();
  await asked.close();
  return headers;
}

describe('PAGE_HEADERS', () => {
  it('are those of the installed helmet', async () => {
    const contentSecurityPolicy = { directives: { defaultSrc: ["'none'"] } };
    expect(PAGE_HEADERS).toEqual(await headersOfHelmet({ contentSecurityPolicy }));
  });
});

describe('DATA_HEADERS', () => {
  it('are those of the installed helmet without the ones for pages', async () => {
    const directives = { defaultSrc: ["'none'"], frameAncestors: ["'none'"] };
    const headers = await headersOfHelmet({
      contentSecurityPolicy: { useDefaults: false, directives },
      crossOriginOpenerPolicy: false,
      originAgentCluster: false,
      referrerPolicy: false,
      xDnsPrefetchControl: false,
      xDownloadOptions: false,
      xFrameOptions: false,
      xPermittedCrossDomainPolicies: false,
      xXssProtection: false,
    });
    expect(DATA_HEADERS).toEqual(headers);
  });
});
