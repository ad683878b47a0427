import { IsArray, IsBoolean, IsIn, IsNumber, IsOptional, IsString, IsUrl, MinLength } from 'class-validator';
import { TOKEN_ALGORITHMS, type IssuerOptions, type TokenAlgorithm } from './token/issuer-options.js';
import { JWT_PROFILES, type JwtProfile } from './token/token-shape.js';

const URL_FORM = { require_tld: false, protocols: ['http', 'https'], require_protocol: true };

/** One issuer as an operator writes it, in a JSON list of several. */
export class IssuerSettings implements IssuerOptions {
  @IsUrl(URL_FORM)
  readonly issuer!: string;

  @IsArray()
  @IsString({ each: true })
  readonly audiences!: readonly string[];

  @IsOptional()
  @IsUrl(URL_FORM)
  readonly jwksUri?: string;

  @IsOptional()
  @IsUrl(URL_FORM)
  readonly tokenUrl?: string;

  @IsOptional()
  @IsString()
  readonly tenant?: string;

  @IsOptional()
  @IsString()
  @MinLength(1)
  readonly tenantClaim?: string;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  readonly tenants?: readonly string[];

  @IsOptional()
  @IsArray()
  @IsIn(TOKEN_ALGORITHMS, { each: true })
  readonly algorithms?: readonly TokenAlgorithm[];

  @IsOptional()
  @IsIn(JWT_PROFILES)
  readonly profile?: JwtProfile;

  @IsOptional()
  @IsBoolean()
  readonly allowPlainJwtType?: boolean;

  @IsOptional()
  @IsBoolean()
  readonly machineOnly?: boolean;

  @IsOptional()
  @IsBoolean()
  readonly singleAudience?: boolean;

  @IsOptional()
  @IsBoolean()
  readonly requireSenderConstraint?: boolean;

  @IsOptional()
  @IsBoolean()
  readonly sharesClients?: boolean;

  @IsOptional()
  @IsString()
  @MinLength(1)
  readonly clientClaim?: string;

  @IsOptional()
  @IsString()
  @MinLength(1)
  readonly scopeClaim?: string;

  @IsOptional()
  @IsString()
  @MinLength(1)
  readonly idClaim?: string;

  @IsOptional()
  @IsNumber()
  readonly clockSkewSeconds?: number;

  @IsOptional()
  @IsNumber()
  readonly maxLifetimeSeconds?: number;
}
