import { IsOptional } from 'class-validator';
import { NestedObject } from '@parley/sdk';
import { TextFieldDto } from './text-field.dto.js';

/** A seller or a buyer (EN 16931 BG-4, BG-7). */
export class PartyDto {
  /** Registered name, or the trading name when that is all there is (BT-27, BT-44). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly name?: TextFieldDto;

  /** Identifier that the parties agreed on (BT-29, BT-46). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly id?: TextFieldDto;

  /** VAT identifier with its country prefix (BT-31, BT-48). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly vatId?: TextFieldDto;

  /** Local tax number (BT-32). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly taxId?: TextFieldDto;

  /** Number in a company register (BT-30, BT-47). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly registrationId?: TextFieldDto;

  /** Street and number (BT-35, BT-50). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly street?: TextFieldDto;

  /** BT-37, BT-52. */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly city?: TextFieldDto;

  /** BT-38, BT-53. */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly postCode?: TextFieldDto;

  /** ISO 3166-1 alpha-2 (BT-40, BT-55). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly country?: TextFieldDto;

  /** BT-43, BT-58. */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly email?: TextFieldDto;
}
