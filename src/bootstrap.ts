import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule, type AppOptions } from './app.module.js';
import { MOST_BODY } from './http/request-body.js';
import { PinoLogger } from './logging/pino.logger.js';

const JSON_TYPES = ['application/json', 'application/a2a+json'];

/** Builds the application of a role: the one place where adapter, body parsing and limits are set. Tests use it too. */
export async function createApp(options: AppOptions): Promise<NestFastifyApplication> {
  const { environment } = options;
  const adapter = new FastifyAdapter({
    bodyLimit: MOST_BODY,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    maxRequestsPerSocket: 0,
    routerOptions: { maxParamLength: 512 },
    forceCloseConnections: true,
  });
  readBodiesAsBytes(adapter);
  return NestFactory.create<NestFastifyApplication>(AppModule.forRole(environment.ROLE, options), adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new PinoLogger(environment.LOG_LEVEL, process.stdout.isTTY),
  });
}

/** Bodies reach the bindings unparsed, so that a broken one is answered in the caller's protocol. */
function readBodiesAsBytes(adapter: FastifyAdapter): void {
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(JSON_TYPES, { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
}
