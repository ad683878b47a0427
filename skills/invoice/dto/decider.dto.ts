import { IsIn, IsOptional, IsString } from 'class-validator';

/** `policy`: the configured threshold. `person`: a caller with a subject. `client`: a caller that is only a client. */
export const DECIDER_KINDS = ['policy', 'person', 'client'] as const;

/** The person or policy that decided on a payment. */
export class DeciderDto {
  @IsIn(DECIDER_KINDS)
  readonly kind!: (typeof DECIDER_KINDS)[number];

  /** The client that the decision came through. */
  @IsOptional()
  @IsString()
  readonly client?: string;

  /** The person, as the identity provider names them (`sub`). */
  @IsOptional()
  @IsString()
  readonly subject?: string;
}
