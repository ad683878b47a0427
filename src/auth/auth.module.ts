import { Logger, Module, type DynamicModule, type InjectionToken, type ModuleMetadata } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import type { Cluster, Redis } from 'ioredis';
import { AuditLog } from '../audit/audit.log.js';
import { CallLimits } from '../limit/call-limits.js';
import { Authenticator } from './authenticator.js';
import { createAuthenticator, createChallenger, type AuthenticatorNeeds } from './authenticator.factory.js';
import { AuthOptions, checkAuthOptions } from './auth-options.js';
import { CallerGate } from './caller.gate.js';
import { CallerGuard } from './caller.guard.js';
import { CallerStrategy } from './caller.strategy.js';
import { ProtectedResourceController } from './protected-resource.controller.js';
import type { HttpGet } from './token/http-get.js';

export interface AuthModuleOptions {
  readonly auth: AuthOptions;
  /** Fetches issuers' keys. */
  readonly http: HttpGet;
  /** The token of the Redis connection for commands; used proofs of DPoP are kept there. */
  readonly redis: InjectionToken;
  readonly keyPrefix: string;
  /** Modules that export `CallLimits`, `AuditLog` and the Redis connection, unless they are global. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

/** Owns who calls and what they may do. Knows nothing of tasks: ownership is the stores' to keep, by `ownerOf`. */
@Module({})
export class AuthModule {
  /** @throws Error when the options cannot work */
  static forRoot({ auth, http, redis, keyPrefix, imports }: AuthModuleOptions): DynamicModule {
    checkAuthOptions(auth);
    const challenger = createChallenger(auth);
    const needs: Omit<AuthenticatorNeeds, 'redis'> = { auth, http, keyPrefix, challenger, now: Date.now, onKeyFailure };
    return {
      module: AuthModule,
      imports: [PassportModule, ...imports],
      controllers: [ProtectedResourceController],
      providers: [
        { provide: AuthOptions, useValue: auth },
        {
          provide: Authenticator,
          inject: [redis],
          useFactory: (client: Redis | Cluster) => createAuthenticator({ ...needs, redis: client }),
        },
        {
          provide: CallerGate,
          inject: [Authenticator, CallLimits, AuditLog],
          useFactory: (authenticator: Authenticator, limits: CallLimits, audit: AuditLog) =>
            new CallerGate({ authenticator, challenger, limits, audit, options: auth }),
        },
        CallerStrategy,
        CallerGuard,
      ],
      exports: [CallerGate, CallerGuard, Authenticator],
    };
  }
}

function onKeyFailure(issuer: string, error: unknown): void {
  const msg = 'The keys of an issuer could not be loaded: callers are checked with the last good ones';
  new Logger(AuthModule.name).warn({ msg, issuer, err: error });
}
