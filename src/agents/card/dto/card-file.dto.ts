import { IsBoolean, IsObject, IsOptional, IsString, IsUrl, Length, Matches } from 'class-validator';
import { NestedObject, NestedObjects } from '@parley/sdk/validation/nested-object.js';

const WEB = { require_tld: false, require_protocol: true, protocols: ['http', 'https'] };

export class CardProviderDto {
  @IsUrl(WEB)
  readonly url!: string;

  @IsString()
  @Length(1, 256)
  readonly organization!: string;
}

export class CardExtensionDto {
  @Matches(/^[a-z][a-z0-9+.-]*:[^\s,]+$/i, { message: 'uri must be a URI without spaces and commas' })
  readonly uri!: string;

  @IsOptional()
  @IsString()
  @Length(1, 2000)
  readonly description?: string;

  @IsOptional()
  @IsBoolean()
  readonly required?: boolean;

  @IsOptional()
  @IsObject()
  readonly params?: Record<string, unknown>;
}

/** Capabilities in the file; the service does not start if one contradicts its configuration. */
export class CardClaimsDto {
  @IsOptional()
  @IsBoolean()
  readonly streaming?: boolean;

  @IsOptional()
  @IsBoolean()
  readonly pushNotifications?: boolean;

  @IsOptional()
  @IsBoolean()
  readonly extendedAgentCard?: boolean;
}

/** The operator's part of the agent card, as JSON. */
export class CardFileDto {
  @IsOptional()
  @IsString()
  @Length(1, 256)
  readonly name?: string;

  @IsOptional()
  @IsString()
  @Length(1, 4000)
  readonly description?: string;

  @IsOptional()
  @IsString()
  @Length(1, 64)
  readonly version?: string;

  @IsOptional()
  @NestedObject(() => CardProviderDto)
  readonly provider?: CardProviderDto;

  @IsOptional()
  @IsUrl(WEB)
  readonly documentationUrl?: string;

  @IsOptional()
  @IsUrl(WEB)
  readonly iconUrl?: string;

  @IsOptional()
  @NestedObjects(() => CardExtensionDto)
  readonly extensions?: CardExtensionDto[];

  @IsOptional()
  @NestedObject(() => CardClaimsDto)
  readonly capabilities?: CardClaimsDto;
}
