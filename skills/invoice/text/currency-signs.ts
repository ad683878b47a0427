/** Signs of currencies as they are printed. `$` alone is the American one: others write `CA$` or the code. */
export const CURRENCY_SIGNS: Readonly<Record<string, string>> = {
  '€': 'EUR',
  $: 'USD',
  US$: 'USD',
  '£': 'GBP',
  '¥': 'JPY',
  'Fr.': 'CHF',
  zł: 'PLN',
};

/** Codes to find beside amounts, as an alternative of a regular expression. */
export const CURRENCY_CODES =
  'EUR|USD|GBP|CHF|JPY|CAD|AUD|NZD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|TRY|INR|SGD|HKD|CNY|KRW|ZAR|BRL|MXN|AED|ILS';
