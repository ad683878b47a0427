import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { ConsoleEnvironment } from './console-environment.js';
import { Switch } from './switch.js';
import { WholeNumber } from './whole-number.js';

/** The format of access tokens; `TOKEN_SHAPES` has the differences to RFC 9068. */
const JWT_PROFILES = ['rfc9068', 'auth0', 'entra', 'keycloak', 'okta'] as const;

const OWNERSHIP = ['client', 'client-and-user', 'tenant'] as const;
type OwnershipName = (typeof OWNERSHIP)[number];

/** A rate: units per minute and burst. */
const RATE_FORM = /^[1-9]\d{0,8}\/[1-9]\d{0,8}$/;
const RATE_MESSAGE = 'must have the format 3000/1000: units per minute and burst';

/** The variables that say who may call, and how much: issuers, keys, rates and quotas; with those of the console. */
export class CallerEnvironment extends ConsoleEnvironment {
  @IsOptional()
  @IsString()
  readonly JWT_ISSUER?: string;

  @IsOptional()
  @IsString()
  readonly JWT_AUDIENCE?: string;

  @IsOptional()
  @IsString()
  readonly JWKS_URI?: string;

  @IsOptional()
  @IsString()
  readonly JWT_TOKEN_URL?: string;

  @IsIn(JWT_PROFILES)
  readonly JWT_PROFILE: (typeof JWT_PROFILES)[number] = 'rfc9068';

  @IsOptional()
  @IsString()
  readonly JWT_TENANT?: string;

  @IsOptional()
  @IsString()
  readonly JWT_TENANT_CLAIM?: string;

  @IsOptional()
  @IsString()
  readonly JWT_ISSUERS?: string;

  @IsOptional()
  @IsString()
  readonly API_KEYS?: string;

  @Switch()
  readonly DPOP: boolean = false;

  @IsOptional()
  @IsString()
  readonly CLIENT_CERTIFICATE_HEADER?: string;

  @IsOptional()
  @IsString()
  readonly INGRESS_NETWORKS?: string;

  @IsIn(OWNERSHIP)
  readonly OWNERSHIP: OwnershipName = 'client';

  @WholeNumber(1, 1000)
  readonly API_REPLICAS: number = 1;

  @Matches(RATE_FORM, { message: RATE_MESSAGE })
  readonly RATE_WRITE: string = '3000/1000';

  @Matches(RATE_FORM, { message: RATE_MESSAGE })
  readonly RATE_READ: string = '6000/1000';

  @Matches(/^(off|[1-9]\d{0,8}\/[1-9]\d{0,8})$/, { message: `${RATE_MESSAGE}, or be off` })
  readonly RATE_ADDRESS: string = '12000/2000';

  @Matches(RATE_FORM, { message: RATE_MESSAGE })
  readonly RATE_FAILURE: string = '20/20';

  @WholeNumber(1, 1_000_000)
  readonly QUOTA_LIVE_TASKS: number = 1_000;

  @WholeNumber(1, 1_000_000)
  readonly QUOTA_WAITING_TASKS: number = 10_000;

  @WholeNumber(1_048_576, 2 ** 50)
  readonly QUOTA_BYTES_CLIENT: number = 1_073_741_824;

  @WholeNumber(1_048_576, 2 ** 50)
  readonly QUOTA_BYTES_TENANT: number = 4_294_967_296;

  @WholeNumber(1, 100)
  readonly QUOTA_WEBHOOKS: number = 10;

  @WholeNumber(1, 1_000_000)
  readonly QUOTA_STREAMS_CLIENT: number = 20;

  @WholeNumber(1, 1_000_000)
  readonly QUOTA_STREAMS_TENANT: number = 200;

  @WholeNumber(1, 1_000_000)
  readonly QUOTA_STREAMS_PROCESS: number = 2_000;

  @WholeNumber(1, 1_000_000)
  readonly QUOTA_CALLS_CLIENT: number = 200;

  @WholeNumber(1, 1_000_000)
  readonly QUOTA_CALLS_TENANT: number = 1_000;
}
