import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { AuditLog } from '../audit/audit.log.js';
import { CallLimits } from '../limit/call-limits.js';
import { CommandRedis } from '../../platform/redis/connections.js';
import { Authenticator } from './authenticator.js';
import { createAuthenticator, createChallenger, type AuthenticatorNeeds } from './authenticator.factory.js';
import { AuthOptions, checkAuthOptions } from './auth-options.js';
import { CallerGate } from './caller.gate.js';
import { GuardedHttpGet } from './token/guarded.http-get.js';

export interface AuthModuleOptions {
  readonly auth: AuthOptions;
  /** Begins every key of ours in Redis. */
  readonly keyPrefix: string;
}

/** Authentication and scopes. Knows nothing of tasks: the stores check ownership, with `ownerOf`. */
@Module({})
export class AuthModule {
  /** @throws Error when the options cannot work */
  static forRoot({ auth, keyPrefix }: AuthModuleOptions): DynamicModule {
    checkAuthOptions(auth);
    const challenger = createChallenger(auth);
    const http = new GuardedHttpGet(auth.issuers);
    const needs: Omit<AuthenticatorNeeds, 'redis'> = { auth, http, keyPrefix, challenger, now: Date.now, onKeyFailure };
    return {
      module: AuthModule,
      global: true,
      imports: [PassportModule],
      providers: [
        { provide: AuthOptions, useValue: auth },
        {
          provide: Authenticator,
          inject: [CommandRedis],
          useFactory: (redis: CommandRedis) => createAuthenticator({ ...needs, redis }),
        },
        {
          provide: CallerGate,
          inject: [Authenticator, CallLimits, AuditLog],
          useFactory: (authenticator: Authenticator, limits: CallLimits, audit: AuditLog) =>
            new CallerGate({ authenticator, challenger, limits, audit, options: auth }),
        },
      ],
      exports: [AuthOptions, CallerGate],
    };
  }
}

function onKeyFailure(issuer: string, error: unknown): void {
  const reason = 'the keys of an issuer could not be loaded: tokens are checked with the last good ones';
  new Logger(AuthModule.name).warn({ event: 'auth.keys', issuer, reason, error });
}
