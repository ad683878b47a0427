import { checkedNumber } from './checked-number.js';

const MAX_AMOUNT = 1_000_000_000;

/** An amount of money, with six decimals at most. */
export function Amount(): PropertyDecorator {
  const isValid = (value: number): boolean =>
    value >= 0 && value < MAX_AMOUNT && /^\d+(\.\d{1,6})?$/.test(String(value));
  return checkedNumber('amount', isValid, 'must be an amount such as 2.50');
}
