/** Minimum pattern of a text: a pattern, or one by the rule's arguments; undefined: any text. */
type Test = string | ((args: readonly unknown[]) => string | undefined);

const HEX = '[0-9a-fA-F]';
const HASH_LENGTHS: Readonly<Record<string, number>> = {
  ...{ md5: 32, md4: 32, sha1: 40, sha256: 64, sha384: 96, sha512: 128, ripemd128: 32, ripemd160: 40 },
  ...{ tiger128: 32, tiger160: 40, tiger192: 48, crc32: 8, crc32b: 8 },
};
const TIME = '([01][0-9]|2[0-3]):[0-5][0-9]';

/** Rules of texts whose pattern would be long, or is not known. */
const ANY_TEXT = [
  ...['isBtcAddress', 'isCurrency', 'isFqdn', 'isFullWidth', 'isHalfWidth', 'isIdentityCard'],
  ...['isIp', 'isIsbn', 'isISSN', 'isJson', 'isLocale', 'isLowercase'],
  ...['isMacAddress', 'isMobilePhone', 'isMultibyte', 'isPassportNumber', 'isPhoneNumber', 'isPostalCode'],
  ...['isRgbColor', 'isSemVer', 'isStrongPassword', 'isSurrogatePair', 'isTaxId', 'isTimeZone'],
  ...['isUppercase', 'isUrl', 'isVariableWidth'],
];

/** Only where the rule has no options: they change the accepted texts. */
function plain(pattern: string): Test {
  return (args) => (args.some((one) => one !== undefined) ? undefined : pattern);
}

/**
 * Rules of class-validator that accept texts only, by name. Checksums and lists of names (countries, currencies, time zones) are
 * left to the rule. Patterns are read alike by ECMA-262, RE2 and Python: no look-around, no back-references, no classes by name.
 */
export const TEXT_PATTERNS: Readonly<Record<string, Test>> = {
  ...Object.fromEntries(ANY_TEXT.map((name) => [name, () => undefined] as const)),
  isAlpha: plain('^[A-Za-z]+$'),
  isAlphanumeric: plain('^[0-9A-Za-z]+$'),
  isAscii: '^[\\x00-\\x7F]+$',
  isBase32: plain('^[A-Z2-7]+=*$'),
  isBase58: '^[A-HJ-NP-Za-km-z1-9]*$',
  isBase64: plain('^[A-Za-z0-9+/=_-]*$'),
  isBIC: '^[A-Za-z]{6}[A-Za-z0-9]{2}([A-Za-z0-9]{3})?$',
  isBooleanString: '^(true|false|1|0)$',
  isCreditCard: '^[0-9 -]+$',
  isDataURI: '^\\s*data:',
  isDateString: '^[+-]?[0-9]{4}[-0-9TtWwZz:.,+\\s]*$',
  isDecimal: plain('^[-+]?([0-9]+(\\.[0-9]+)?|\\.[0-9]+)$'),
  isEAN: '^([0-9]{8}|[0-9]{13,14})$',
  isEmail: '@',
  isEthereumAddress: `^0[xX]${HEX}{40}$`,
  IsFirebasePushId: '^[a-zA-Z0-9_-]{20}$',
  isHash: ([algorithm]) => hashOf(algorithm),
  isHexColor: `^#?(${HEX}{3,4}|${HEX}{6}|${HEX}{8})$`,
  isHexadecimal: `^(0[xXhH])?${HEX}+$`,
  isHSL: '^[hH][sS][lL]',
  isIBAN: '^[\\s0-9A-Za-z-]{15,}$',
  isIsin: '^[A-Z]{2}[0-9A-Z]{9}[0-9]$',
  isISO31661Alpha2: '^[A-Za-z]{2}$',
  isISO31661Alpha3: '^[A-Za-z]{3}$',
  isISO31661Numeric: '^[0-9]{3}$',
  isISO4217CurrencyCode: '^[A-Za-z]{3}$',
  isISO6391: '^[a-z]{2}$',
  isIso8601: '^[+-]?[0-9]{4}[-0-9TtWwZz:.,+\\s]*$',
  isISRC: '^[A-Z]{2}[0-9A-Z]{3}[0-9]{7}$',
  isJwt: '^[A-Za-z0-9_-]+={0,2}(\\.[A-Za-z0-9_-]+={0,2}){1,2}$',
  isLatLong: ',',
  isMagnetURI: '^magnet:',
  isMilitaryTime: '^([01][0-9]|2[0-3]):?[0-5][0-9]$',
  isMimeType: '/',
  isMongoId: `^${HEX}{24}$`,
  isNumberString: plain('^[+-]?([0-9]*\\.)?[0-9]+$'),
  isOctal: '^(0[oO])?[0-7]+$',
  isPort: '^[0-9]+$',
  isRFC3339: `^[0-9]{4}-(0[1-9]|1[0-2])-([12][0-9]|0[1-9]|3[01])[ tT]${TIME}:([0-5][0-9]|60)(\\.[0-9]+)?([zZ]|[-+]${TIME})$`,
  isUuid: `^${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}$`,
};

/** A text that a rule accepts, for people, models and simulations: patterns say little of it. */
export const TEXT_EXAMPLES: Readonly<Record<string, string>> = {
  isDateString: '2026-01-31T12:00:00Z',
  isEmail: 'debug@example.com',
  isIBAN: 'DE89370400440532013000',
  isISO4217CurrencyCode: 'EUR',
  isIso8601: '2026-01-31T12:00:00Z',
  isRFC3339: '2026-01-31T12:00:00Z',
  isUrl: 'https://example.com/debug',
  isUuid: '00000000-0000-4000-8000-000000000000',
};

function hashOf(algorithm: unknown): string | undefined {
  const length = typeof algorithm === 'string' ? HASH_LENGTHS[algorithm] : undefined;
  return length === undefined ? undefined : `^${HEX}{${String(length)}}$`;
}
