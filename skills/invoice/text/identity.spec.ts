import { describe, expect, it } from '@jest/globals';
import { bicIn, emailIn, ibanIn, vatIdIn } from './identity.js';

describe(vatIdIn.name, () => {
  it.each([
    ['USt-IdNr. DE 123 456 789', 'DE123456789'],
    ['N° TVA : FR 32 123456789', 'FR32123456789'],
    ['VAT Reg No: GB 123 4567 82', 'GB123456782'],
    ['CHE-116.281.710 MWST', 'CHE116281710'],
    ['ATU12345678', 'ATU12345678'],
    ['NL123456789B01', 'NL123456789B01'],
    ['be0417497106', 'BE0417497106'],
  ])('finds it in %s', (text, id) => {
    expect(vatIdIn(text)).toBe(id);
  });

  it.each(['DE89 3704 0044 0532 0130 00', 'Tel. 030 123456789', 'DE12', 'IDENT 123456789'])(
    'finds none in %s',
    (text) => {
      expect(vatIdIn(text)).toBeUndefined();
    },
  );
});

describe(ibanIn.name, () => {
  it('finds an account whose check digits are right, however it is spaced', () => {
    expect(ibanIn('IBAN: DE89 3704 0044 0532 0130 00 BIC: X')).toBe('DE89370400440532013000');
    expect(ibanIn('FR1420041010050500013M02606')).toBe('FR1420041010050500013M02606');
  });

  it('passes over one with a wrong digit', () => {
    expect(ibanIn('DE89 3704 0044 0532 0130 01')).toBeUndefined();
  });
});

describe(bicIn.name, () => {
  it('needs its label, because many words have eight letters', () => {
    expect(bicIn('BIC COBADEFFXXX')).toBe('COBADEFFXXX');
    expect(bicIn('BIC/SWIFT: COBADEFF')).toBe('COBADEFF');
    expect(bicIn('RECHNUNG')).toBeUndefined();
  });
});

describe(emailIn.name, () => {
  it('finds an address among other words', () => {
    expect(emailIn('Mail: billing@acme.example, Tel. 1')).toBe('billing@acme.example');
    expect(emailIn('@home')).toBeUndefined();
  });
});
