import type { AddressInfo } from 'node:net';
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  HttpCode,
  Module,
  Param,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { pino } from 'pino';
import { AuditTarget } from '../../../src/audit/audit-stream.js';
import { AuthError } from '../../../src/auth/challenge/auth.error.js';
import { AuthModule, AuthModuleOptions } from '../../../src/auth/auth.module.js';
import type { AuthOptions } from '../../../src/auth/auth-options.js';
import { CallerGate } from '../../../src/auth/caller.gate.js';
import { SkillRegistry } from '../../../src/skill/skill.registry.js';
import { ProtectedResourceController } from '../../../src/http/well-known/protected-resource.controller.js';
import { Caller, CallerGuard } from '../../../src/http/guards/caller.guard.js';
import type { Principal } from '../../../src/auth/principal.js';
import { refuseEarly } from '../../../src/auth/early-refusal.js';
import { CallLifetime } from '../../../src/auth/call-lifetime.js';
import { limitOptionsOf } from '../../../src/limits/limit.settings.js';
import { loadConfig } from '../../../src/main/app.environment.js';
import { LimitOptions } from '../../../src/limits/limit-options.js';
import { RateLimitedError } from '../../../src/limits/rates/rate-limited.error.js';
import { A2AError, type A2AErrorName } from '@parley/protocol/model/errors.js';
import { isOperationName } from '@parley/protocol/model/operations.js';
import { OptionsModule } from '../../../src/platform/config/settings/options.module.js';
import { RedisOptions } from '../../../src/platform/redis/redis.options.js';
import { loggableUrl, REDACTED_PATHS, withoutSecrets } from '../../../src/platform/logging/redaction.js';
import { testRedisUrl } from '../redis/shared-redis.js';

const STATUS: Readonly<Partial<Record<A2AErrorName, number>>> = {
  Unauthenticated: 401,
  PermissionDenied: 403,
  InvalidRequest: 400,
  RateLimited: 429,
  Unavailable: 503,
};

@Catch()
class ErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (error instanceof AuthError) void reply.header('www-authenticate', error.challenges);
    if (error instanceof RateLimitedError) void reply.headers(error.headers);
    const { kind, message } = error instanceof A2AError ? error : new A2AError('InternalError', String(error));
    void reply.status(STATUS[kind] ?? 500).send({ kind, message });
  }
}

@Controller()
@UseGuards(CallerGuard)
class ProbeController {
  constructor(private readonly gate: CallerGate) {}

  @Post('call/:operation')
  @HttpCode(200)
  async call(@Caller() principal: Principal, @Param('operation') operation: string): Promise<unknown> {
    if (!isOperationName(operation)) throw new A2AError('MethodNotFound', operation);
    const headers = await this.gate.permit(principal, operation);
    return { principal, headers };
  }

  /** Through Passport itself: what an application that takes our module may write. */
  @Get('passport')
  @UseGuards(AuthGuard(['jwt', 'api-key']))
  passport(@Req() { user }: { readonly user: Principal }): Principal {
    return user;
  }

  /** A stream that lives as long as the caller's credential, and 300 ms. */
  @Get('stream')
  stream(@Caller() principal: Principal, @Res() reply: FastifyReply): void {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
    const presence = new CallLifetime(300);
    presence.limitTo(principal);
    const { signal } = presence;
    signal.addEventListener('abort', () => reply.raw.end());
  }
}

export interface AuthApp {
  readonly port: number;
  /** Every line that was logged, audit lines among them. */
  readonly log: readonly string[];
  readonly close: () => Promise<void>;
}

const GENEROUS = { limit: 1_000_000, periodSeconds: 60, burst: 1_000_000 };

/** The auth modules in a small application on a free port, with limits that no test meets by accident. */
export async function startAuthApp(auth: AuthOptions, limits: Partial<LimitOptions> = {}): Promise<AuthApp> {
  const keyPrefix = `test-auth-${String(process.pid)}-${String(Math.random()).slice(2)}`;
  const log: string[] = [];
  const req = ({ url }: { url: string }): object => ({ url: loggableUrl(url) });
  const logger = pino(
    { level: 'trace', redact: [...REDACTED_PATHS], serializers: { req }, formatters: { log: withoutSecrets } },
    { write: (line: string) => log.push(line) },
  );
  const generous = { write: { ...GENEROUS, name: 'write' }, read: { ...GENEROUS, name: 'read' } };
  const failure = { ...GENEROUS, name: 'failure' };

  @Module({
    imports: [
      OptionsModule.forRoot([
        { provide: RedisOptions, useValue: { address: testRedisUrl(), keyPrefix } },
        { provide: AuditTarget, useValue: { stream: { write: (line: string) => log.push(line) } } },
        {
          provide: LimitOptions,
          useValue: { ...limitOptionsOf(loadConfig({}).limits, keyPrefix), ...generous, failure, ...limits, keyPrefix },
        },
        { provide: AuthModuleOptions, useValue: { auth, keyPrefix } },
      ]),
      AuthModule,
    ],
    controllers: [ProbeController, ProtectedResourceController],
    providers: [{ provide: SkillRegistry, useValue: new SkillRegistry([]) }],
  })
  class AppModule {}

  const adapter = new FastifyAdapter({ loggerInstance: logger, bodyLimit: 1 << 20 });

  const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, {
    logger: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new ErrorFilter());
  const early = refuseEarly(app.get(CallerGate), (path) => path.startsWith('/.well-known/'));
  adapter.getInstance().addHook('onRequest', early);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const close = async (): Promise<void> => {
    app.getHttpServer().closeAllConnections();
    await app.close();
  };
  return { port, log, close };
}
