import type { Cell, Line } from './layout.js';

export type Column = 'id' | 'name' | 'quantity' | 'unit' | 'unitPrice' | 'taxRate' | 'netAmount';

/** Headings of item tables over folded text, in the order in which they are tried. */
const HEADINGS: readonly (readonly [Column, RegExp])[] = [
  [
    'unitPrice',
    /^(?:unit price|price(?: (?:each|per unit|\/ ?unit))?|unit cost|rate|einzel-?preis|e-?preis|ep|stuckpreis|preis(?: ?\/ ?einheit)?|prix unit\S*|prix u\.?|p\.? ?u\.?)(?![a-z])/u,
  ],
  ['taxRate', /^(?:vat|tax|mwst|ust|u\.?st|steuer|tva|taux|gst)(?![a-z])/u],
  [
    'netAmount',
    /^(?:(?:line |net )?(?:amount|total)|gesamt(?:preis|betrag)?|betrag|summe|netto(?:betrag)?|gp|montant|total)(?![a-z])/u,
  ],
  ['quantity', /^(?:qty|quantity|hours|units?|menge|anz(?:ahl)?|stk|stuck|qte|quantite|nombre)(?![a-z])/u],
  ['unit', /^(?:unit|uom|einheit|me|unite)(?![a-z])/u],
  ['id', /^(?:#|no|nr|pos(?:ition)?|item no|line|n°|ref(?:erence)?|sku|code|art(?:ikel)?\.?-?(?:nr|no)|lfd)(?![a-z])/u],
  [
    'name',
    /^(?:(?:item )?description|item|product|service|details|article|particulars|beschreibung|bezeichnung|artikel|leistung|designation|libelle|prestation|produit|text)/u,
  ],
];

export interface ColumnPlace {
  readonly column: Column;
  readonly x: number;
  readonly right: number;
}

/** The columns that a line heads: at least three, among them the text or the amount; else none. */
export function columnsOf(line: Line): readonly ColumnPlace[] {
  const places: ColumnPlace[] = [];
  for (const cell of line.cells) {
    const column = HEADINGS.find(([name, heading]) => heading.test(cell.folded) && !has(places, name))?.[0];
    if (column !== undefined) places.push({ column, x: cell.x, right: cell.right });
  }
  const isTable = places.length >= 3 && has(places, 'netAmount') && (has(places, 'name') || has(places, 'quantity'));
  return isTable ? places : [];
}

/** The column that a cell belongs to: the one whose left edge, right edge or middle is nearest. */
export function columnAt(places: readonly ColumnPlace[], cell: Cell): Column | undefined {
  const distance = (place: ColumnPlace): number =>
    Math.min(
      Math.abs(place.x - cell.x),
      Math.abs(place.right - cell.right),
      Math.abs((place.x + place.right) / 2 - (cell.x + cell.right) / 2),
    );
  return places.toSorted((a, b) => distance(a) - distance(b))[0]?.column;
}

function has(places: readonly ColumnPlace[], column: Column): boolean {
  return places.some((place) => place.column === column);
}
