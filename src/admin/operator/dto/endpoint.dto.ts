import { IsUrl, MaxLength } from 'class-validator';

/** A receiver. */
export class EndpointDto {
  /** Its address; only host and port count. */
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  @MaxLength(2048)
  readonly endpoint!: string;
}
