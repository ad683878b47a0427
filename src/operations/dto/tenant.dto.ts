import { IsOptional, IsString } from 'class-validator';

/** Params of GetExtendedAgentCard. */
export class TenantDto {
  @IsOptional()
  @IsString()
  readonly tenant?: string;
}
