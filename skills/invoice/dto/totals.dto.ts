import { IsOptional } from 'class-validator';
import { NestedObject } from '@parley/sdk';
import { AmountFieldDto } from './amount-field.dto.js';

/** The sums of the document, in its currency (EN 16931 BG-22). */
export class TotalsDto {
  /** Sum of the lines (BT-106). */
  @IsOptional()
  @NestedObject(() => AmountFieldDto)
  readonly lineTotal?: AmountFieldDto;

  /** Sum of document level allowances (BT-107). */
  @IsOptional()
  @NestedObject(() => AmountFieldDto)
  readonly allowanceTotal?: AmountFieldDto;

  /** Sum of document level charges (BT-108). */
  @IsOptional()
  @NestedObject(() => AmountFieldDto)
  readonly chargeTotal?: AmountFieldDto;

  /** Total without VAT (BT-109). */
  @IsOptional()
  @NestedObject(() => AmountFieldDto)
  readonly taxExclusive?: AmountFieldDto;

  /** Total VAT (BT-110). */
  @IsOptional()
  @NestedObject(() => AmountFieldDto)
  readonly tax?: AmountFieldDto;

  /** Total with VAT (BT-112). */
  @IsOptional()
  @NestedObject(() => AmountFieldDto)
  readonly taxInclusive?: AmountFieldDto;

  /** Already paid (BT-113). */
  @IsOptional()
  @NestedObject(() => AmountFieldDto)
  readonly prepaid?: AmountFieldDto;

  /** Added to round the payable amount (BT-114). */
  @IsOptional()
  @NestedObject(() => AmountFieldDto)
  readonly rounding?: AmountFieldDto;

  /** To be paid (BT-115). */
  @IsOptional()
  @NestedObject(() => AmountFieldDto)
  readonly payable?: AmountFieldDto;
}
