import {
  IsBIC,
  IsIBAN,
  IsISO4217CurrencyCode,
  IsISO8601,
  IsOptional,
  IsString,
  Length,
  Matches,
  MaxLength,
} from 'class-validator';

/** A payment that is to be written as an instruction. */
export class PaymentOrderDto {
  /** The payee. */
  @IsString()
  @Length(1, 140)
  readonly creditor!: string;

  @IsIBAN()
  readonly iban!: string;

  @IsOptional()
  @IsBIC()
  readonly bic?: string;

  /** The payer. */
  @IsString()
  @Length(1, 140)
  readonly debtor!: string;

  /** The account to pay from; without one the bank takes that of the upload. */
  @IsOptional()
  @IsIBAN()
  readonly debtorIban?: string;

  /** At most two places, as ISO 20022 has for most currencies. */
  @Matches(/^\d{1,16}(\.\d{1,2})?$/)
  readonly amount!: string;

  @IsISO4217CurrencyCode()
  readonly currency!: string;

  /** Remittance information for the creditor. */
  @IsString()
  @MaxLength(140)
  readonly reference!: string;

  /** `2026-03-31`; default today. */
  @IsOptional()
  @Matches(/^\d{4}-\d{2}-\d{2}$/)
  readonly executionDate?: string;
}

/** Result of `write_payment_instruction`. */
export class PaymentInstructionDto {
  /** The same for the same payment in every task: a bank that gets it twice pays once. */
  @IsString()
  @MaxLength(35)
  readonly endToEndId!: string;

  @IsString()
  @MaxLength(35)
  readonly messageId!: string;

  @IsString()
  readonly amount!: string;

  @IsString()
  readonly currency!: string;

  @IsISO8601()
  readonly executionDate!: string;
}
