import { IsOptional, IsString, IsUrl, Matches, ValidateIf } from 'class-validator';
import { CallerEnvironment } from './caller-environment.js';
import { HTTP_URL } from './http-url.js';
import { WholeNumber } from './whole-number.js';

/** The price of a million tokens, or an amount of money. */
const PRICE = /^\d{1,9}(\.\d{1,6})?$/;

/** The variables of the language model: which one it is, and what tasks, trees and tenants may use of it; with those of callers. */
export class ModelEnvironment extends CallerEnvironment {
  @IsOptional()
  @IsUrl(HTTP_URL)
  readonly MODEL_URL?: string;

  @ValidateIf(({ MODEL_URL, MODEL_NAME }: ModelEnvironment) => (MODEL_URL ?? MODEL_NAME) !== undefined)
  @IsString({ message: 'must name the model of MODEL_URL' })
  readonly MODEL_NAME?: string;

  @IsOptional()
  @IsString()
  readonly MODEL_KEY?: string;

  @WholeNumber(1, 1_000_000_000)
  readonly MODEL_TOKENS: number = 200_000;

  @WholeNumber(1, 10_000)
  readonly MODEL_CALLS: number = 50;

  @WholeNumber(1, 1_000_000_000)
  readonly MODEL_TREE_TOKENS: number = 2_000_000;

  @WholeNumber(1, 100_000)
  readonly MODEL_TREE_CALLS: number = 500;

  @IsOptional()
  @Matches(PRICE, { message: 'must be an amount such as 2.50' })
  readonly MODEL_TREE_COST?: string;

  @IsOptional()
  @WholeNumber(1, 1_000_000_000_000)
  readonly MODEL_TENANT_TOKENS?: number;

  @IsOptional()
  @Matches(PRICE, { message: 'must be an amount such as 100' })
  readonly MODEL_TENANT_COST?: string;

  @Matches(PRICE, { message: 'must be a price such as 2.50' })
  readonly MODEL_PRICE_IN: string = '0';

  @Matches(PRICE, { message: 'must be a price such as 10' })
  readonly MODEL_PRICE_OUT: string = '0';
}
