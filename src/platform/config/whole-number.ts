import { checkedNumber } from './checked-number.js';

/** A setting that is a whole number between two bounds, both included. */
export function WholeNumber(least: number, most: number): PropertyDecorator {
  const isValid = (value: number): boolean => Number.isInteger(value) && value >= least && value <= most;
  return checkedNumber('wholeNumber', isValid, `must be a whole number from ${String(least)} to ${String(most)}`);
}
