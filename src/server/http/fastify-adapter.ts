import type { Server } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import fastify, { type FastifyHttpOptions, type FastifyInstance } from 'fastify';

/**
 * Nest's adapter without the `onResponse` hook of its own, which serves `setOnResponseHook`. Nobody sets one here, and where there
 * is a hook of that kind Fastify listens to every response: 4 % of the time of a GetTask. Such hooks that are added later stay.
 */
export function fastifyAdapter(options: FastifyHttpOptions<Server>): FastifyAdapter {
  const instance: FastifyInstance = fastify(options);
  const add = instance.addHook.bind(instance) as (name: string, hook: unknown) => FastifyInstance;
  const hooks: { addHook: unknown } = instance;
  const { addHook } = hooks;
  hooks.addHook = (name: string, hook: unknown) => (name === 'onResponse' ? instance : add(name, hook));
  const adapter = new FastifyAdapter(instance);
  hooks.addHook = addHook;
  return adapter;
}
