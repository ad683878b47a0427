import { Logger, Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { CommandRedis } from '../platform/redis/connection/connections.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { AuditLog } from '../audit/audit.log.js';
import { AuditModule } from '../audit/audit.module.js';
import { BlockModule } from '../blocks/block.module.js';
import { Blocks } from '../blocks/blocks.js';
import { CallLimits } from '../limits/call-limits.js';
import { LimitModule } from '../limits/limit.module.js';
import { AuthOptions, checkAuthOptions } from './auth-options.js';
import { createAuthenticator, createChallenger, createResource, trustedIssuers } from './authenticator.factory.js';
import { CallerGate, type GateParts } from './caller.gate.js';
import { GuardedHttpGet } from './token/guarded.http-get.js';

/** Accepted callers, and the prefix of the module's keys in Redis. */
export interface AuthModuleOptions {
  readonly auth: AuthOptions;
  readonly keyPrefix: string;
}

/** Authentication of the service's callers and of those of its resources, and who of them is blocked. Type and injection token. */
const KnownCallers = Symbol('KnownCallers');
type KnownCallers = Pick<GateParts, 'authenticator' | 'resources' | 'blocks'>;

/** Injection token of the options. */
export const AuthModuleOptions = Symbol('AuthModuleOptions');

/** Authentication and scopes. Knows nothing of tasks: the stores check ownership, with `ownerOf`. */
@Module({
  imports: [PassportModule, RedisModule, LimitModule, AuditModule, BlockModule],
  providers: [
    { provide: AuthOptions, inject: [AuthModuleOptions], useFactory: checkedOptions },
    { provide: KnownCallers, inject: [CommandRedis, AuthModuleOptions, Blocks], useFactory: knownCallers },
    {
      provide: CallerGate,
      inject: [KnownCallers, CallLimits, AuditLog, AuthOptions],
      useFactory: (known: KnownCallers, limits: CallLimits, audit: AuditLog, options: AuthOptions) =>
        new CallerGate({ ...known, challenger: createChallenger(options), limits, audit, options }),
    },
  ],
  exports: [AuthOptions, CallerGate],
})
export class AuthModule {}

/** @throws Error for unusable options */
function checkedOptions({ auth }: AuthModuleOptions): AuthOptions {
  checkAuthOptions(auth);
  return auth;
}

function knownCallers(redis: CommandRedis, { auth, keyPrefix }: AuthModuleOptions, blocks: Blocks): KnownCallers {
  const challenger = createChallenger(auth);
  const http = new GuardedHttpGet(auth.issuers);
  const needs = { auth, http, keyPrefix, challenger, now: Date.now, onKeyFailure, redis };
  const issuers = trustedIssuers(needs);
  const resources = (auth.resources ?? []).map((options) => createResource(options, needs, issuers));
  return { authenticator: createAuthenticator(needs, issuers), resources, blocks };
}

function onKeyFailure(issuer: string, error: unknown, hasKeys: boolean): void {
  const meanwhile = hasKeys ? 'tokens are checked with the last good ones' : 'its tokens are answered with 503';
  const reason = `the keys of an issuer could not be loaded: ${meanwhile}`;
  new Logger(AuthModule.name).warn({ event: 'auth.keys', issuer, reason, error });
}
