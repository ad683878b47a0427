import { IsOptional } from 'class-validator';
import { NestedObject } from '@parley/sdk';
import { TextFieldDto } from './text-field.dto.js';

/** How the invoice is to be paid (EN 16931 BG-16). */
export class PaymentDto {
  /** Account to pay to (BT-84). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly iban?: TextFieldDto;

  /** Bank of that account (BT-86). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly bic?: TextFieldDto;

  /** Text to give with the payment (BT-83). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly reference?: TextFieldDto;

  /** Terms in words (BT-20). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly terms?: TextFieldDto;

  /** The payee, if it is not the seller (BT-59). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly payee?: TextFieldDto;
}
