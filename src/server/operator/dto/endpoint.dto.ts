import { IsUrl, MaxLength } from 'class-validator';

/** A receiver. */
export class EndpointDto {
  /** Its address; what comes after host and port does not count. */
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  @MaxLength(2048)
  readonly endpoint!: string;
}
