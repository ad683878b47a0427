import { folded } from './folded.js';

export interface Address {
  readonly street?: string;
  readonly postCode?: string;
  readonly city?: string;
  readonly country?: string;
}

/** Names of countries in English, German and French, folded. */
const COUNTRIES: Readonly<Record<string, string>> = {
  austria: 'AT',
  osterreich: 'AT',
  autriche: 'AT',
  belgium: 'BE',
  belgien: 'BE',
  belgique: 'BE',
  switzerland: 'CH',
  schweiz: 'CH',
  suisse: 'CH',
  germany: 'DE',
  deutschland: 'DE',
  allemagne: 'DE',
  denmark: 'DK',
  danemark: 'DK',
  spain: 'ES',
  spanien: 'ES',
  espagne: 'ES',
  france: 'FR',
  frankreich: 'FR',
  'united kingdom': 'GB',
  uk: 'GB',
  england: 'GB',
  'great britain': 'GB',
  'royaume-uni': 'GB',
  ireland: 'IE',
  irland: 'IE',
  irlande: 'IE',
  italy: 'IT',
  italien: 'IT',
  italie: 'IT',
  luxembourg: 'LU',
  luxemburg: 'LU',
  netherlands: 'NL',
  'the netherlands': 'NL',
  niederlande: 'NL',
  'pays-bas': 'NL',
  poland: 'PL',
  polen: 'PL',
  pologne: 'PL',
  usa: 'US',
  'united states': 'US',
  'etats-unis': 'US',
};

const CONTINENTAL = /^(?:(?:A|B|CH|D|DE|F|FR|L|I|AT|BE)[- ])?(\d{4,5})\s+(\p{L}[\p{L}\s.'/()-]*)/u;
const BRITISH = /^(?:(.*?)[,\s]+)?([A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2})$/u;
const AMERICAN = /^(.+?),?\s+[A-Z]{2}\.?\s+(\d{5}(?:-\d{4})?)$/u;

/** Post code and city of a line like `12345 Berlin`, `London SW1A 1AA` or `Springfield, IL 62704`. */
export function placeIn(text: string): { readonly postCode: string; readonly city?: string } | undefined {
  const [, code, city] = CONTINENTAL.exec(text) ?? [];
  if (code !== undefined && city !== undefined) return { postCode: code, city: city.trim() };
  const [, town, britishCode] = BRITISH.exec(text) ?? [];
  if (britishCode !== undefined) return { postCode: britishCode, ...(town === undefined ? {} : { city: town.trim() }) };
  const [, place, zip] = AMERICAN.exec(text) ?? [];
  return place === undefined || zip === undefined ? undefined : { postCode: zip, city: place };
}

/** ISO 3166-1 code of a line that is a country's name and nothing else. */
export function countryOf(text: string): string | undefined {
  return COUNTRIES[
    folded(text)
      .replace(/[^a-z\s-]/gu, '')
      .trim()
  ];
}

/** The parts of an address in the lines that follow a name. */
export function addressOf(lines: readonly string[]): Address {
  const at = lines.findIndex((line) => placeIn(line) !== undefined);
  const place = placeIn(lines[at] ?? '');
  const street = lines.slice(0, at < 0 ? 0 : at).findLast((line) => /\d/u.test(line)) ?? lines[at - 1];
  const country = lines.map(countryOf).find((code) => code !== undefined);
  return {
    ...(street === undefined ? {} : { street }),
    ...place,
    ...(country === undefined ? {} : { country }),
  };
}
