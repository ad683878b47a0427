/** Label of a line of sums. */
export type TotalKind = 'payable' | 'prepaid' | 'net' | 'tax' | 'allowance' | 'charge' | 'gross';

const TAX = String.raw`(?:vat|v\.a\.t\.?|sales tax|tax|gst|mwst|mw\.?st|ust|u\.?st|mehrwert-?steuer|umsatz-?steuer|steuer(?:betrag)?|tva|t\.v\.a\.?)`;
const RATE = String.raw`(?:\(?\d{1,2}(?:[.,]\d+)?\s*%\)?)?`;

/** Over folded labels, in the order in which they are tried: `net a payer` is payable before it is net. */
const PATTERNS: readonly (readonly [TotalKind, RegExp])[] = [
  [
    'payable',
    /^(?:(?:total |amount |balance |net )?due(?! date)|(?:total |amount )(?:to pay|payable)|please pay|to pay|(?:noch )?zu zahlen(?:der betrag)?|zahl(?:ungs)?betrag|zahlbarer betrag|offener betrag|(?:net |total |montant |reste |solde )?a (?:payer|regler)|solde(?: du)?|amount due)/u,
  ],
  [
    'prepaid',
    /^(?:less |abzgl\.? |abzuglich |minus )?(?:amount paid|already paid|paid|deposit|prepaid|down payment|anzahlung|bereits (?:ge|be)zahlt|erhaltene|geleistete|acompte|deja (?:paye|verse)|avance)/u,
  ],
  [
    'net',
    /^(?:sub-? ?total|net(?:to)?(?: total| amount| value)?$|net (?:total|amount|value)|total net|total (?:\(?excl|\(?ex\b|\(?before|\(?without)|taxable|amount excl|zwischensumme|(?:gesamt|summe|rechnungs|waren|positions)?-?(?:betrag|summe|wert)?\s?\(?netto|netto|gesamtnetto|(?:total|montant|sous-? ?total|net|base|prix)(?: total| general)?,? \(?(?:h\.?t\b|hors)|sous-? ?total|total h\.?t\b)/u,
  ],
  [
    'tax',
    new RegExp(
      String.raw`^(?:zzgl\.?|zuzuglich|plus|\+|add|davon|darin(?: enthalten)?|enthaltene?|inkl\.?|incl\.?|including|dont)?\s*(?:total|gesamt|summe|montant(?: total)?(?: de)?(?: la)?)?\s*${RATE}\s*(?:gesetzl(?:iche|\.)?\s)?${TAX}(?![a-z])(?!.*(?:nr\b|no\b|id\b|number|numero|n°|intra))`,
      'u',
    ),
  ],
  ['allowance', /^(?:less |abzgl\.? )?(?:discount|rabatt|nachlass|remise|rabais|escompte)/u],
  [
    'charge',
    /^(?:plus |zzgl\.? )?(?:shipping|delivery|freight|postage|handling|versand|porto|fracht|frais|port\b|livraison)/u,
  ],
  [
    'gross',
    /^(?:grand total|invoice total|total invoice|total amount|gross|gesamt(?:betrag|summe|preis)?|rechnungs(?:betrag|summe)|end(?:betrag|summe)|brutto|summe|montant (?:total|t\.?t\.?c)|total)(?![a-z])/u,
  ],
];

/** The kind of sum that a folded label announces. */
export function totalKindOf(label: string): TotalKind | undefined {
  const plain = label.replace(/^[\s.:*=-]+/u, '');
  return PATTERNS.find(([, pattern]) => pattern.test(plain))?.[0];
}
