import helmet from '@fastify/helmet';
import { fastify, type onRequestHookHandler } from 'fastify';

/**
 * A hook that gives every answer the headers of helmet. They are always the same, and helmet puts them together anew for
 * each answer, which costs as much as parsing the request: so it is asked once, by an application that serves nobody.
 */
export async function securityHeaders(): Promise<onRequestHookHandler> {
  const asked = fastify();
  await asked.register(helmet, { contentSecurityPolicy: { directives: { defaultSrc: ["'none'"] } } });
  asked.get('/', (_request, reply) => reply.send(reply.getHeaders()));
  const headers = (await asked.inject('/')).json<Readonly<Record<string, string>>>();
  await asked.close();
  return (_request, reply, done) => {
    // Not on the raw response: headers that stand there are checked and copied once more when the answer's are added.
    void reply.headers(headers);
    done();
  };
}
