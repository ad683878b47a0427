import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { AuthOptions } from '../../auth/auth-options.js';
import { ownerOf, type Principal } from '../../auth/principal.js';
import { missingScope, scopeDescriptions } from '../../auth/scopes.js';
import { Caller } from '../../http/guards/caller.guard.js';
import { PassportGuard } from '../../http/guards/passport.guard.js';
import { Summary } from '../../http/params/summary.js';
import { ConsoleGuard, isOfPlatform } from '../../http/console-api/console.guard.js';
import { ConsoleAccess } from '../../http/console-api/console-access.js';

/** The caller and its permissions. */
export interface MeView {
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string;
  readonly method: string;
  /** The owner name of the caller's tasks. */
  readonly owner: string;
  /** ISO 8601; absent when the credential does not expire. */
  readonly expires?: string;
  readonly scopes: readonly { readonly name: string; readonly text: string; readonly has: boolean }[];
  /** Whether the operator permits this client to see the platform. */
  readonly isOfPlatform: boolean;
}

/** Describes the caller to itself. Requires no scope: the answer only contains the caller's own credential. */
@Controller('console/api/me')
@UseGuards(PassportGuard, ConsoleGuard)
export class MeController {
  constructor(
    @Inject(ConsoleAccess) private readonly access: ConsoleAccess,
    @Inject(AuthOptions) private readonly auth: AuthOptions,
  ) {}

  @Get()
  @Summary('Says who calls, and which scopes the caller has')
  me(@Caller() caller: Principal): MeView {
    const { tenant, client, subject, method, expiresAt } = caller;
    return {
      ...{ tenant, client, method, owner: ownerOf(caller, this.access.ownership) },
      ...(subject === undefined ? {} : { subject }),
      ...(expiresAt === undefined ? {} : { expires: new Date(expiresAt).toISOString() }),
      scopes: Object.entries(scopeDescriptions(this.auth.scopes)).map(([name, text]) => {
        return { name, text, has: missingScope(caller, [name]) === undefined };
      }),
      isOfPlatform: isOfPlatform(caller, this.access),
    };
  }
}
