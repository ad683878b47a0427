import { block, row } from './pdf-writer.js';
import type { Ink } from './pdf-writer.js';

/** What a reader should find in an invoice. */
export interface Expected {
  readonly number: string;
  readonly issueDate: string;
  readonly dueDate?: string;
  readonly currency: string;
  readonly seller: string;
  readonly sellerVatId?: string;
  readonly buyer: string;
  readonly taxExclusive?: string;
  readonly tax?: string;
  readonly taxInclusive?: string;
  readonly payable?: string;
  readonly lines: number;
}

export interface PlainInvoice {
  readonly name: string;
  readonly layout: string;
  readonly pages: readonly (readonly Ink[])[];
  readonly expected: Expected;
}

type Row = readonly string[];

function table(
  top: number,
  places: readonly (readonly [number, 'right'?])[],
  rows: readonly Row[],
  step = 18,
): readonly Ink[] {
  return rows.flatMap((texts, at) =>
    row(
      top + at * step,
      texts.map((text, column) => {
        const [x, align] = places[column] ?? [0];
        return align === undefined ? ([x, text] as const) : ([x, text, align] as const);
      }),
    ),
  );
}

const americanLetter: PlainInvoice = {
  name: 'en-us-classic',
  layout: 'en, $1,234.56, month by name, labels beside values, letterhead left',
  pages: [
    [
      { text: 'Acme Widgets, Inc.', x: 50, y: 60, size: 16, bold: true },
      ...block(50, 78, ['742 Evergreen Terrace', 'Springfield, IL 62704', 'billing@acme.example']),
      { text: 'INVOICE', x: 545, y: 60, size: 22, align: 'right', bold: true },
      ...row(95, [
        [380, 'Invoice #:'],
        [545, 'INV-10457', 'right'],
      ]),
      ...row(110, [
        [380, 'Invoice Date:'],
        [545, 'March 5, 2026', 'right'],
      ]),
      ...row(125, [
        [380, 'Due Date:'],
        [545, 'April 4, 2026', 'right'],
      ]),
      ...block(50, 170, ['Bill To:', 'Globex Corporation', '1 Cypress Creek Road', 'Portland, OR 97201']),
      ...table(
        260,
        [[50], [330, 'right'], [430, 'right'], [545, 'right']],
        [
          ['Description', 'Qty', 'Unit Price', 'Amount'],
          ['Widget, blue', '10', '$45.00', '$450.00'],
          ['Widget, red', '12', '$60.50', '$726.00'],
          ['On-site installation', '3', '$125.00', '$375.00'],
        ],
      ),
      ...table(
        350,
        [[380], [545, 'right']],
        [
          ['Subtotal', '$1,551.00'],
          ['Sales Tax (8.25%)', '$127.96'],
          ['Total', '$1,678.96'],
          ['Amount Due', '$1,678.96'],
        ],
      ),
      ...block(50, 480, ['Thank you for your business.', 'Please make checks payable to Acme Widgets, Inc.']),
    ],
  ],
  expected: {
    number: 'INV-10457',
    issueDate: '2026-03-05',
    dueDate: '2026-04-04',
    currency: 'USD',
    seller: 'Acme Widgets, Inc.',
    buyer: 'Globex Corporation',
    taxExclusive: '1551.00',
    tax: '127.96',
    taxInclusive: '1678.96',
    payable: '1678.96',
    lines: 3,
  },
};

const britishColumns: PlainInvoice = {
  name: 'en-gb-stacked-head',
  layout: 'en, £1,234.56, dd/mm/yyyy, values under a row of labels',
  pages: [
    [
      { text: 'Tax Invoice', x: 50, y: 55, size: 20 },
      ...block(360, 50, [
        'Bluebell Consulting Limited',
        '14 King Street',
        'London EC2V 8EA',
        'VAT Reg No: GB 123 4567 82',
      ]),
      ...table(
        150,
        [[50], [170], [290], [410]],
        [
          ['Invoice No', 'Invoice Date', 'Due Date', 'Your Order No'],
          ['2026/0815', '28/02/2026', '30/03/2026', 'PO-7781'],
        ],
        14,
      ),
      ...block(50, 200, ['Invoice to', 'The Daffodil Trust', 'Unit 3, Mill Lane', 'Leeds LS1 4AP']),
      ...table(
        280,
        [[50], [300, 'right'], [390, 'right'], [460, 'right'], [545, 'right']],
        [
          ['Item', 'Hours', 'Rate', 'VAT %', 'Net amount'],
          ['Workshop preparation', '16', '95.00', '20', '1,520.00'],
          ['Workshop delivery', '8', '120.00', '20', '960.00'],
          ['Printed course books', '25', '4.80', '0', '120.00'],
        ],
      ),
      ...table(
        370,
        [[350], [545, 'right']],
        [
          ['Total excl. VAT', '£2,600.00'],
          ['VAT @ 20% on £2,480.00', '£496.00'],
          ['Total incl. VAT', '£3,096.00'],
        ],
      ),
      ...block(50, 470, ['Bank: GB29 NWBK 6016 1331 9268 19', 'Company No. 01234567']),
    ],
  ],
  expected: {
    number: '2026/0815',
    issueDate: '2026-02-28',
    dueDate: '2026-03-30',
    currency: 'GBP',
    seller: 'Bluebell Consulting Limited',
    sellerVatId: 'GB123456782',
    buyer: 'The Daffodil Trust',
    taxExclusive: '2600.00',
    tax: '496.00',
    taxInclusive: '3096.00',
    payable: '3096.00',
    lines: 3,
  },
};

const germanLetter: PlainInvoice = {
  name: 'de-din-5008',
  layout: 'de, 1.234,56 €, sender line over the address window, info block right',
  pages: [
    [
      { text: 'Schreinerei Holzmann GmbH · Werkstraße 12 · 80331 München', x: 57, y: 130, size: 7 },
      ...block(57, 148, ['Hotel Alpenblick AG', 'Frau Huber', 'Bergweg 3', '82467 Garmisch-Partenkirchen']),
      ...row(150, [
        [380, 'Rechnungs-Nr.:'],
        [480, 'RE-2026-0042'],
      ]),
      ...row(165, [
        [380, 'Rechnungsdatum:'],
        [480, '05.03.2026'],
      ]),
      ...row(180, [
        [380, 'Kundennummer:'],
        [480, '10023'],
      ]),
      ...row(195, [
        [380, 'Lieferdatum:'],
        [480, '27.02.2026'],
      ]),
      { text: 'Rechnung', x: 57, y: 260, size: 18, bold: true },
      { text: 'Sehr geehrte Frau Huber, wir berechnen Ihnen wie vereinbart:', x: 57, y: 285 },
      ...table(
        315,
        [[57], [90], [340, 'right'], [440, 'right'], [538, 'right']],
        [
          ['Pos.', 'Bezeichnung', 'Menge', 'Einzelpreis', 'Gesamt'],
          ['1', 'Empfangstresen Eiche massiv', '1 Stk', '4.850,00 €', '4.850,00 €'],
          ['', 'inkl. Lieferung und Montage', '', '', ''],
          ['2', 'Garderobenpaneel', '6 Stk', '389,50 €', '2.337,00 €'],
          ['3', 'Arbeitsstunden', '12,5 Std', '64,00 €', '800,00 €'],
        ],
        15,
      ),
      ...table(
        420,
        [[340], [538, 'right']],
        [
          ['Zwischensumme (netto)', '7.987,00 €'],
          ['zzgl. 19 % MwSt.', '1.517,53 €'],
          ['Gesamtbetrag', '9.504,53 €'],
        ],
      ),
      { text: 'Zahlbar bis zum 19.03.2026 ohne Abzug.', x: 57, y: 500 },
      ...row(
        790,
        [
          [57, 'Schreinerei Holzmann GmbH'],
          [220, 'IBAN DE89 3704 0044 0532 0130 00'],
          [430, 'USt-IdNr. DE123456789'],
        ],
        7,
      ),
      ...row(
        800,
        [
          [57, 'Werkstraße 12, 80331 München'],
          [220, 'BIC COBADEFFXXX'],
          [430, 'Steuer-Nr. 143/123/45678'],
        ],
        7,
      ),
    ],
  ],
  expected: {
    number: 'RE-2026-0042',
    issueDate: '2026-03-05',
    dueDate: '2026-03-19',
    currency: 'EUR',
    seller: 'Schreinerei Holzmann GmbH',
    sellerVatId: 'DE123456789',
    buyer: 'Hotel Alpenblick AG',
    taxExclusive: '7987.00',
    tax: '1517.53',
    taxInclusive: '9504.53',
    payable: '9504.53',
    lines: 3,
  },
};

const germanTwoPages: PlainInvoice = {
  name: 'de-two-pages-two-rates',
  layout: 'de, 1.234,56 EUR, table over two pages with carry-over, 7 % and 19 %',
  pages: [
    [
      ...block(57, 60, ['Frischdienst Nord KG', 'Hafenallee 8', '20457 Hamburg', 'USt-ID: DE 987 654 321']),
      ...block(57, 150, ['Rechnung an:', 'Kantine am Park e.K.', 'Parkstr. 77', '22303 Hamburg']),
      ...row(230, [
        [57, 'Rechnung Nr. 20260317'],
        [400, 'Datum: 17. März 2026'],
      ]),
      ...table(
        270,
        [[57], [330, 'right'], [400, 'right'], [460, 'right'], [538, 'right']],
        [
          ['Artikel', 'Anzahl', 'Preis', 'USt', 'Betrag'],
          ...Array.from({ length: 24 }, (_, at) => [
            `Gemüsekiste Sorte ${String(at + 1)}`,
            '5',
            '18,40',
            '7 %',
            '92,00',
          ]),
          ['Übertrag', '', '', '', '2.208,00'],
        ],
        19,
      ),
    ],
    [
      ...row(50, [
        [57, 'Rechnung Nr. 20260317'],
        [538, 'Seite 2', 'right'],
      ]),
      ...table(
        80,
        [[57], [330, 'right'], [400, 'right'], [460, 'right'], [538, 'right']],
        [
          ['Artikel', 'Anzahl', 'Preis', 'USt', 'Betrag'],
          ['Übertrag', '', '', '', '2.208,00'],
          ['Kühlboxen Miete', '4', '35,00', '19 %', '140,00'],
          ['Reinigung', '1', '60,00', '19 %', '60,00'],
        ],
        19,
      ),
      ...table(
        200,
        [[300], [430, 'right'], [538, 'right']],
        [
          ['Summe netto', '', '2.408,00 EUR'],
          ['USt 7 % auf', '2.208,00', '154,56 EUR'],
          ['USt 19 % auf', '200,00', '38,00 EUR'],
          ['Rechnungsbetrag', '', '2.600,56 EUR'],
        ],
      ),
      { text: 'Zahlungsziel: 31.03.2026', x: 57, y: 300 },
    ],
  ],
  expected: {
    number: '20260317',
    issueDate: '2026-03-17',
    dueDate: '2026-03-31',
    currency: 'EUR',
    seller: 'Frischdienst Nord KG',
    sellerVatId: 'DE987654321',
    buyer: 'Kantine am Park e.K.',
    taxExclusive: '2408.00',
    tax: '192.56',
    taxInclusive: '2600.56',
    payable: '2600.56',
    lines: 26,
  },
};

const germanSmall: PlainInvoice = {
  name: 'de-kleinunternehmer',
  layout: 'de, 1234,56 € without thousands mark, no VAT, no quantities',
  pages: [
    [
      ...block(
        400,
        50,
        ['Lena Vogt', 'Illustration & Grafik', 'Gartenstr. 5', '04109 Leipzig', 'Steuernummer: 232/123/45678'],
        9,
      ),
      ...block(60, 140, ['Verlag Buchfink GmbH', 'Lektorat', 'Lindenallee 20', '10115 Berlin'], 11),
      { text: 'Rechnung 2026-07', x: 60, y: 250, size: 14, bold: true },
      { text: 'Leipzig, 02.04.2026', x: 535, y: 250, align: 'right' },
      ...table(
        290,
        [[60], [100], [535, 'right']],
        [
          ['Nr.', 'Leistung', 'Betrag'],
          ['1', 'Umschlagillustration "Der Garten"', '950,00 €'],
          ['2', 'Innenillustrationen, 8 Stück', '1120,00 €'],
        ],
      ),
      ...row(370, [
        [380, 'Gesamtsumme'],
        [535, '2070,00 €', 'right'],
      ]),
      { text: 'Gemäß § 19 UStG wird keine Umsatzsteuer berechnet.', x: 60, y: 410 },
      { text: 'Bitte überweisen Sie auf das Konto DE02 1203 0000 0000 2020 51.', x: 60, y: 425 },
    ],
  ],
  expected: {
    number: '2026-07',
    issueDate: '2026-04-02',
    currency: 'EUR',
    seller: 'Lena Vogt',
    buyer: 'Verlag Buchfink GmbH',
    taxInclusive: '2070.00',
    payable: '2070.00',
    lines: 2,
  },
};

const frenchClassic: PlainInvoice = {
  name: 'fr-classique',
  layout: 'fr, 1 234,56 €, dd/mm/yyyy, number in the title',
  pages: [
    [
      ...block(50, 55, [
        'Boulangerie Martin SARL',
        '12 rue des Lilas',
        '69003 Lyon',
        'SIRET : 123 456 789 00012',
        'N° TVA : FR 32 123456789',
      ]),
      { text: 'FACTURE N° FA-2026-0118', x: 320, y: 60, size: 14, bold: true },
      ...row(80, [[320, 'Date : 12/03/2026']]),
      ...row(95, [[320, 'Échéance : 11/04/2026']]),
      ...block(320, 140, ['Facturé à :', 'Hôtel des Terreaux', '16 rue Lanterne', '69001 Lyon']),
      ...table(
        250,
        [[50], [320, 'right'], [410, 'right'], [470, 'right'], [545, 'right']],
        [
          ['Désignation', 'Qté', 'P.U. HT', 'TVA', 'Montant HT'],
          ['Pain de campagne', '240', '3,20 €', '5,5 %', '768,00 €'],
          ['Viennoiseries assorties', '600', '0,95 €', '5,5 %', '570,00 €'],
          ['Livraison matinale', '30', '6,00 €', '20 %', '180,00 €'],
        ],
      ),
      ...table(
        350,
        [[360], [545, 'right']],
        [
          ['Total HT', '1 518,00 €'],
          ['TVA 5,5 %', '73,59 €'],
          ['TVA 20 %', '36,00 €'],
          ['Total TTC', '1 627,59 €'],
        ],
      ),
      { text: 'IBAN : FR14 2004 1010 0505 0001 3M02 606', x: 50, y: 460 },
    ],
  ],
  expected: {
    number: 'FA-2026-0118',
    issueDate: '2026-03-12',
    dueDate: '2026-04-11',
    currency: 'EUR',
    seller: 'Boulangerie Martin SARL',
    sellerVatId: 'FR32123456789',
    buyer: 'Hôtel des Terreaux',
    taxExclusive: '1518.00',
    tax: '109.59',
    taxInclusive: '1627.59',
    payable: '1627.59',
    lines: 3,
  },
};

const frenchDeposit: PlainInvoice = {
  name: 'fr-acompte',
  layout: 'fr, 12 345,67 with no-break spaces, date in words, deposit, sender right',
  pages: [
    [
      { text: 'Facture', x: 50, y: 60, size: 24 },
      ...row(85, [
        [50, 'Numéro de facture'],
        [180, '2026-F-0007'],
      ]),
      ...row(100, [
        [50, 'Date de facturation'],
        [180, '3 mars 2026'],
      ]),
      ...row(115, [
        [50, "Date d'échéance"],
        [180, '2 avril 2026'],
      ]),
      ...block(360, 60, ['Émetteur', 'Studio Lumière SAS', '8 quai de la Fosse', '44000 Nantes']),
      ...block(360, 140, ['Client', 'Mairie de Rezé', 'Place Jean-Baptiste-Daviais', '44400 Rezé']),
      ...table(
        240,
        [[50], [300, 'right'], [420, 'right'], [545, 'right']],
        [
          ['Description', 'Quantité', 'Prix unitaire', 'Total HT'],
          ['Éclairage scénique', '1', '9\u00a0800,00', '9\u00a0800,00'],
          ['Régie, par jour', '3', '850,00', '2\u00a0550,00'],
        ],
      ),
      ...table(
        320,
        [[330], [545, 'right']],
        [
          ['Sous-total HT', '12\u00a0350,00 €'],
          ['TVA (20,00 %)', '2\u00a0470,00 €'],
          ['Montant TTC', '14\u00a0820,00 €'],
          ['Acompte versé', '-4\u00a0446,00 €'],
          ['Net à payer', '10\u00a0374,00 €'],
        ],
      ),
      ...block(
        50,
        740,
        ['Studio Lumière SAS au capital de 10 000 € - RCS Nantes 512 345 678 - TVA intracommunautaire FR40512345678'],
        7,
      ),
    ],
  ],
  expected: {
    number: '2026-F-0007',
    issueDate: '2026-03-03',
    dueDate: '2026-04-02',
    currency: 'EUR',
    seller: 'Studio Lumière SAS',
    sellerVatId: 'FR40512345678',
    buyer: 'Mairie de Rezé',
    taxExclusive: '12350.00',
    tax: '2470.00',
    taxInclusive: '14820.00',
    payable: '10374.00',
    lines: 2,
  },
};

const discounted: PlainInvoice = {
  name: 'en-ie-discount',
  layout: 'en, EUR 1,234.56 with the code before, ISO dates, discount and shipping',
  pages: [
    [
      ...block(50, 60, [
        'From: Emerald Cloud Hosting Ltd',
        '22 Harcourt Street, Dublin',
        'Ireland',
        'VAT number: IE6388047V',
      ]),
      ...block(50, 140, ['To: Nordlys Design AS', 'Storgata 1', '0155 Oslo']),
      ...row(60, [[350, 'Invoice number: ECH-99812']]),
      ...row(75, [[350, 'Date of issue: 2026-01-31']]),
      ...row(90, [[350, 'Date due: 2026-02-14']]),
      ...table(
        220,
        [[50], [300], [360, 'right'], [460, 'right'], [545, 'right']],
        [
          ['Product', 'Unit', 'Quantity', 'Price', 'Line total'],
          ['Server type L', 'month', '12', 'EUR 189.00', 'EUR 2,268.00'],
          ['Backup storage', 'GB', '500', 'EUR 0.05', 'EUR 25.00'],
        ],
      ),
      ...table(
        300,
        [[50], [260, 'right']],
        [
          ['Subtotal', 'EUR 2,293.00'],
          ['Discount 10%', 'EUR -229.30'],
          ['Shipping', 'EUR 15.00'],
          ['VAT 23%', 'EUR 478.10'],
          ['Grand total', 'EUR 2,556.80'],
        ],
      ),
    ],
  ],
  expected: {
    number: 'ECH-99812',
    issueDate: '2026-01-31',
    dueDate: '2026-02-14',
    currency: 'EUR',
    seller: 'Emerald Cloud Hosting Ltd',
    sellerVatId: 'IE6388047V',
    buyer: 'Nordlys Design AS',
    taxExclusive: '2078.70',
    tax: '478.10',
    taxInclusive: '2556.80',
    payable: '2556.80',
    lines: 2,
  },
};

const swiss: PlainInvoice = {
  name: 'de-ch-apostrophe',
  layout: "de-CH, CHF 1'234.56, 5. März 2026, amount column with currency in the head",
  pages: [
    [
      { text: 'Uhrenwerk Biel AG', x: 50, y: 60, size: 15 },
      ...block(50, 78, ['Bahnhofstrasse 9', 'CH-2502 Biel', 'CHE-116.281.710 MWST']),
      ...block(340, 130, ['Grand Hotel Zürichberg', 'Orellistrasse 21', 'CH-8044 Zürich']),
      ...row(220, [
        [50, 'Rechnungsnummer'],
        [180, '88-1207'],
      ]),
      ...row(234, [
        [50, 'Rechnungsdatum'],
        [180, '5. März 2026'],
      ]),
      ...row(248, [
        [50, 'Zahlbar bis'],
        [180, '4. April 2026'],
      ]),
      ...table(
        290,
        [[50], [330, 'right'], [430, 'right'], [545, 'right']],
        [
          ['Beschreibung', 'Menge', 'Preis CHF', 'Betrag CHF'],
          ['Wanduhr Modell Jura', '14', "1'280.00", "17'920.00"],
          ['Wartung pro Jahr', '14', '95.50', "1'337.00"],
        ],
      ),
      ...table(
        370,
        [[330], [545, 'right']],
        [
          ['Total exkl. MWST', "19'257.00"],
          ['MWST 8.1%', "1'559.80"],
          ['Total CHF inkl. MWST', "20'816.80"],
        ],
      ),
      { text: 'Konto: CH93 0076 2011 6238 5295 7', x: 50, y: 460 },
    ],
  ],
  expected: {
    number: '88-1207',
    issueDate: '2026-03-05',
    dueDate: '2026-04-04',
    currency: 'CHF',
    seller: 'Uhrenwerk Biel AG',
    sellerVatId: 'CHE116281710',
    buyer: 'Grand Hotel Zürichberg',
    taxExclusive: '19257.00',
    tax: '1559.80',
    taxInclusive: '20816.80',
    payable: '20816.80',
    lines: 2,
  },
};

const stackedSums: PlainInvoice = {
  name: 'en-be-stacked-sums',
  layout: 'en, €1.234,56 with continental marks, sums under a row of labels, labels over values',
  pages: [
    [
      ...block(50, 60, ['Antwerp Print House BV', 'Meir 45', '2000 Antwerpen', 'BE0417497106']),
      ...block(50, 150, ['Customer', 'Oak & Elm Publishers', '3 Temple Bar', 'Dublin 2']),
      ...block(400, 60, ['Invoice number', 'V26/00391']),
      ...block(400, 95, ['Issue date', '14-02-2026']),
      ...block(400, 130, ['Payment due', '16-03-2026']),
      ...table(
        240,
        [[50], [330, 'right'], [430, 'right'], [545, 'right']],
        [
          ['Description', 'Quantity', 'Unit price', 'Amount'],
          ['Catalogue, 64 pages', '1.500', '€2,35', '€3.525,00'],
          ['Proof copies', '2', '€18,00', '€36,00'],
        ],
      ),
      ...table(
        330,
        [
          [250, 'right'],
          [390, 'right'],
          [545, 'right'],
        ],
        [
          ['Net amount', 'VAT 21%', 'Total amount'],
          ['€3.561,00', '€747,81', '€4.308,81'],
        ],
        14,
      ),
      { text: 'IBAN BE68 5390 0754 7034', x: 50, y: 420 },
    ],
  ],
  expected: {
    number: 'V26/00391',
    issueDate: '2026-02-14',
    dueDate: '2026-03-16',
    currency: 'EUR',
    seller: 'Antwerp Print House BV',
    sellerVatId: 'BE0417497106',
    buyer: 'Oak & Elm Publishers',
    taxExclusive: '3561.00',
    tax: '747.81',
    taxInclusive: '4308.81',
    payable: '4308.81',
    lines: 2,
  },
};

/** Ten invoices as programs print them, without any XML inside: ten layouts, three languages, six number formats. */
export const PLAIN_INVOICES: readonly PlainInvoice[] = [
  americanLetter,
  britishColumns,
  germanLetter,
  germanTwoPages,
  germanSmall,
  frenchClassic,
  frenchDeposit,
  discounted,
  swiss,
  stackedSums,
];
