import { Type } from 'class-transformer';
import { IsOptional, ValidateNested } from 'class-validator';
import { AmountFieldDto } from './amount-field.dto.js';

/** The sums of the document, in its currency (EN 16931 BG-22). */
export class TotalsDto {
  /** Sum of the lines (BT-106). */
  @IsOptional()
  @ValidateNested()
  @Type(() => AmountFieldDto)
  readonly lineTotal?: AmountFieldDto;

  /** Sum of document level allowances (BT-107). */
  @IsOptional()
  @ValidateNested()
  @Type(() => AmountFieldDto)
  readonly allowanceTotal?: AmountFieldDto;

  /** Sum of document level charges (BT-108). */
  @IsOptional()
  @ValidateNested()
  @Type(() => AmountFieldDto)
  readonly chargeTotal?: AmountFieldDto;

  /** Total without VAT (BT-109). */
  @IsOptional()
  @ValidateNested()
  @Type(() => AmountFieldDto)
  readonly taxExclusive?: AmountFieldDto;

  /** Total VAT (BT-110). */
  @IsOptional()
  @ValidateNested()
  @Type(() => AmountFieldDto)
  readonly tax?: AmountFieldDto;

  /** Total with VAT (BT-112). */
  @IsOptional()
  @ValidateNested()
  @Type(() => AmountFieldDto)
  readonly taxInclusive?: AmountFieldDto;

  /** Already paid (BT-113). */
  @IsOptional()
  @ValidateNested()
  @Type(() => AmountFieldDto)
  readonly prepaid?: AmountFieldDto;

  /** Added to round the payable amount (BT-114). */
  @IsOptional()
  @ValidateNested()
  @Type(() => AmountFieldDto)
  readonly rounding?: AmountFieldDto;

  /** To be paid (BT-115). */
  @IsOptional()
  @ValidateNested()
  @Type(() => AmountFieldDto)
  readonly payable?: AmountFieldDto;
}
