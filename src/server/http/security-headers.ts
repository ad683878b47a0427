import helmet from '@fastify/helmet';
import { fastify, type onRequestHookHandler } from 'fastify';

/**
 * A hook that sets helmet's headers on every response. They are constant, but helmet builds them for each response, which
 * costs as much as parsing the request. So they are computed once, with a throwaway Fastify instance.
 */
export async function securityHeaders(): Promise<onRequestHookHandler> {
  const asked = fastify();
  await asked.register(helmet, { contentSecurityPolicy: { directives: { defaultSrc: ["'none'"] } } });
  asked.get('/', (_request, reply) => reply.send(reply.getHeaders()));
  const headers = (await asked.inject('/')).json<Readonly<Record<string, string>>>();
  await asked.close();
  return (_request, reply, done) => {
    // Not on the raw response: its headers are checked and copied again when the reply's headers are added.
    void reply.headers(headers);
    done();
  };
}
