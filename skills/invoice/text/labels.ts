/** Languages whose labels are known. */
export type Language = 'en' | 'de' | 'fr';

/** Regular expressions over folded text (lower case, no accents), the most specific first. */
type Labels = Readonly<Record<Language, readonly string[]>>;

const NO = String.raw`\s*(?:number|no|nr|num|id|ref|#)\.?`;
const NR = String.raw`[\s-]*(?:nummer|nr|no)\.?`;
const N = String.raw`(?:numero|num|no|n°|n)\.?`;

export const NUMBER_LABELS: Labels = {
  en: [`(?:tax )?invoice${NO}`, `inv\\.?${NO}`, `bill${NO}`, `credit note${NO}`, `document${NO}`],
  de: [`rechnungs?${NR}`, `re\\.?-?${NR}`, `gutschrifts?${NR}`, `beleg${NR}`, `invoice${NO}`],
  fr: [
    `${N}\\s*(?:de |d')?(?:la )?facture`,
    `facture\\s*(?:${N}|#)`,
    `ref(?:erence)?\\.?\\s*(?:de |d')?(?:la )?facture`,
    `avoir\\s*(?:${N})`,
    `${N} (?:de )?(?:document|piece)`,
  ],
};

export const ISSUE_DATE_LABELS: Labels = {
  en: ['invoice date', 'date of (?:issue|invoice)', 'issue date', 'bill date', 'tax point', 'issued(?: on)?', 'dated?'],
  de: ['rechnungs-?datum', 'ausstellungsdatum', 'belegdatum', 'datum der rechnung', 'ausgestellt am', 'datum'],
  fr: [
    "date (?:de |d'|de l')?(?:la )?(?:facture|facturation|emission)",
    'emise? le',
    'facture du',
    'date du document',
    'fait le',
    'date',
  ],
};

export const DUE_DATE_LABELS: Labels = {
  en: [
    '(?:payment )?due (?:date|by|on)',
    'date due',
    'payment due',
    'pay(?:able|ment)? (?:by|before|until)',
    'please pay by',
    'due',
  ],
  de: [
    'falligkeits-?datum',
    'fallig(?:keit)?(?: am| zum)?',
    'zahlbar bis(?: zum)?',
    'zu zahlen bis(?: zum)?',
    'zahlungsziel',
  ],
  fr: [
    "date d'echeance",
    'date limite (?:de paiement|de reglement)',
    '(?:a )?(?:payer|payable|regler) avant(?: le)?',
    'echeance',
    'date de reglement',
  ],
};

export const DELIVERY_DATE_LABELS: Labels = {
  en: ['delivery date', 'date of (?:delivery|supply|service)', '(?:service|supply|ship(?:ping)?) date'],
  de: ['liefer-?datum', 'leistungs-?datum', 'lieferung am', 'liefer- ?/ ?leistungsdatum'],
  fr: ['date de (?:livraison|prestation|la livraison|la prestation)'],
};

export const ORDER_LABELS: Labels = {
  en: [`purchase order(?:${NO})?`, `p\\.?o\\.?${NO}`, `(?:your )?order${NO}`],
  de: [`bestell${NR}`, `ihre bestellung(?: vom)?`, `auftrags?${NR}`],
  fr: [`(?:${N} (?:de )?)?bon de commande(?: ${N})?`, `commande ${N}`, `${N} (?:de )?(?:la )?commande`],
};

export const VAT_ID_LABELS: Labels = {
  en: [`vat (?:reg(?:istration)?\\.? ?)?(?:id|number|no|nr|reg)\\.?(?: no\\.?)?`, 'vat', 'tax id'],
  de: [
    '(?:ust|umsatzsteuer|uid|mwst)\\.?[\\s-]*(?:id(?:ent)?(?:ifikations)?)?[\\s.-]*(?:nr|nummer)?\\.?',
    'vat[\\s-]*(?:id|nr|no)?\\.?',
  ],
  fr: [`${N} (?:de )?tva(?: intra(?:communautaire|com)?\\.?)?`, `tva intra(?:communautaire|com)?\\.?(?: ${N})?`],
};

export const TAX_NUMBER_LABELS: Labels = {
  en: ['tax (?:number|no)\\.?'],
  de: ['steuer-?(?:nummer|nr)\\.?', 'st\\.?-?nr\\.?'],
  fr: [],
};

export const REGISTRATION_LABELS: Labels = {
  en: ['company (?:reg(?:istration)?\\.? ?)?(?:number|no)\\.?', 'registered (?:number|no)\\.?'],
  de: ['hrb', 'handelsregister'],
  fr: ['siret', 'siren', 'rcs'],
};

export const SELLER_LABELS: Labels = {
  en: ['from', 'seller', 'supplier', 'vendor', 'issued by', 'biller', 'service provider'],
  de: ['von', 'verkaufer', 'lieferant', 'rechnungssteller', 'absender', 'leistungserbringer'],
  fr: ['vendeur', 'emetteur', 'fournisseur', 'prestataire', 'de'],
};

export const BUYER_LABELS: Labels = {
  en: [
    '(?:bill|billed|invoice|invoiced|sold|charge) to',
    'billing address',
    'buyer',
    'customer',
    'client',
    'to',
    'attention',
  ],
  de: [
    'rechnung an',
    'rechnungs-?empfanger',
    'rechnungs-?(?:adresse|anschrift)',
    'kaufer',
    'kunde',
    'empfanger',
    'auftraggeber',
    'an',
  ],
  fr: ['facture a', 'adresse de facturation', 'destinataire', 'acheteur', 'client', 'adresse a', 'a'],
};

export const TITLES: Labels = {
  en: ['(?:tax |commercial |pro ?forma |sales )?invoice', 'credit note', 'bill'],
  de: ['rechnung', 'gutschrift', 'rechnungskorrektur'],
  fr: ['facture', "facture d'avoir", 'avoir', "note d'honoraires"],
};

/** One expression for labels of these languages at the start of a text, with its colon or number sign. */
export function startsWith(labels: Labels, languages: readonly Language[]): readonly RegExp[] {
  return languages.flatMap((language) =>
    labels[language].map(
      (label) =>
        new RegExp(String.raw`^(?:${label})(?:(?<=[#°])|(?![a-z0-9]))\s*[:.#]?(?:\s*n(?:o|r|°)\.?\s)?\s*`, 'u'),
    ),
  );
}
