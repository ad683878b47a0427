import { present } from '../invoice.js';
import type { Found, Invoice, Party } from '../invoice.js';
import { addressOf, countryOf, placeIn } from './address.js';
import { emailIn, ibanIn, vatIdIn } from './identity.js';
import {
  BUYER_LABELS,
  NUMBER_LABELS,
  REGISTRATION_LABELS,
  SELLER_LABELS,
  TAX_NUMBER_LABELS,
  TITLES,
  VAT_ID_LABELS,
  startsWith,
} from './labels.js';
import type { Language } from './labels.js';
import { labelledValue } from './labelled-value.js';
import type { Cell, Line } from './layout.js';
import { blocksOf } from './text-block.js';
import type { TextBlock } from './text-block.js';

/** How often a party found so is the right one. */
const LABELLED = 0.85;
const BY_PLACE = 0.65;

/** Lines of an address block that are read. */
const MAX_LINES = 9;

interface PartyText {
  readonly cells: readonly string[];
  readonly source: string;
  readonly confidence: number;
}

type Parties = Pick<Invoice, 'seller' | 'buyer'>;

/** Seller and buyer: by their labels, else by where letters have them: the sender on top, the recipient below. */
export function findParties(lines: readonly Line[], languages: readonly Language[]): Parties {
  const first = lines.filter(({ page }) => page === 1);
  const blocks = blocksOf(first.map(withoutSenderLines));
  const labelledBuyer = labelledParty(blocks, startsWith(BUYER_LABELS, languages));
  const labelledSeller = labelledParty(blocks, startsWith(SELLER_LABELS, languages));
  const others = [TITLES, NUMBER_LABELS, BUYER_LABELS].flatMap((labels) => startsWith(labels, languages));
  const free = blocks.filter((block) => isFree(block, others));
  const sellerText = labelledSeller ?? sender(first, free, labelledBuyer);
  const buyerText = labelledBuyer ?? recipient(free, sellerText);
  const buyer = partyOf(buyerText);
  return { seller: { ...documentIds(lines, languages, buyer), ...partyOf(sellerText) }, buyer };
}

/** The lines behind or under the first label that has any. */
function labelledParty(blocks: readonly TextBlock[], labels: readonly RegExp[]): PartyText | undefined {
  const spots = blocks.flatMap((block) =>
    block.cells.map((cell, at) => ({ cell, under: block.cells.slice(at + 1, at + 1 + MAX_LINES) })),
  );
  for (const label of labels) {
    for (const { cell, under } of spots) {
      const text = behind(label, cell);
      const following = under.length > 0 ? under : blockUnder(blocks, cell);
      const cells = [text ?? '', ...following.map((each) => each.text)]
        .filter((each) => each !== '')
        .slice(0, MAX_LINES);
      const source = `page ${String(cell.page)}, "${cell.text.slice(0, 40)}"`;
      const isParty = text !== undefined && cells.some((each) => /\p{L}{2}/u.test(each));
      if (isParty) return { cells, source, confidence: LABELLED };
    }
  }
  return undefined;
}

/** The text after a label; a short label like `To` counts only with a colon or alone. */
function behind(label: RegExp, cell: Cell): string | undefined {
  const match = label.exec(cell.folded);
  if (match === null) return undefined;
  const rest = cell.text.slice(match[0].length).trim();
  const isLabel = rest === '' || (match[0].includes(':') && /\p{L}{3}/u.test(rest));
  return isLabel ? rest : undefined;
}

function blockUnder(blocks: readonly TextBlock[], label: Cell): readonly Cell[] {
  const under = blocks.find(
    ({ cells: [first] }) =>
      first !== undefined &&
      first.y > label.y &&
      first.y - label.y < 4 * label.size &&
      Math.abs(first.x - label.x) < 25,
  );
  return under?.cells ?? [];
}

/** Whether a block may be an address: it does not begin with a label or the document's title. */
function isFree({ cells: [first] }: TextBlock, others: readonly RegExp[]): boolean {
  if (first === undefined) return false;
  return (
    !others.some((label) => label.test(first.folded)) &&
    !/^[^:]{2,30}:/u.test(first.text) &&
    /\p{L}{3}/u.test(first.text)
  );
}

/** The sender: a line with the whole address, else the first block with the form of a company or an address. */
function sender(
  lines: readonly Line[],
  blocks: readonly TextBlock[],
  buyer: PartyText | undefined,
): PartyText | undefined {
  const inOneLine = lines.flatMap(({ cells }) => cells).find(isSenderLine);
  const others = blocks.filter((block) => !isSame(block, buyer));
  const block = others.find(looksLikeSender) ?? others[0];
  if (inOneLine !== undefined && (block === undefined || inOneLine.y < block.y)) {
    return { cells: senderLine(inOneLine.text), source: place(inOneLine), confidence: BY_PLACE };
  }
  return block === undefined ? undefined : textOf(block);
}

function isSenderLine({ text }: Cell): boolean {
  return senderLine(text).length >= 3;
}

function withoutSenderLines(line: Line): Line {
  return { ...line, cells: line.cells.filter((cell) => !isSenderLine(cell)) };
}

/** `Muster GmbH · Weg 1 · 12345 Ort` as its parts; none when there is no post code in it. */
function senderLine(text: string): readonly string[] {
  const parts = text.split(/\s*[·•|]\s*|\s+-\s+|,\s+/u).filter((part) => part !== '');
  return parts.some((part) => placeIn(part) !== undefined) ? parts : [];
}

function looksLikeSender({ cells }: TextBlock): boolean {
  const texts = cells.map(({ text }) => text);
  return (
    texts.some((text) => placeIn(text) !== undefined || vatIdIn(text) !== undefined) ||
    texts.some((text) =>
      /\b(?:GmbH|AG|UG|KG|OHG|e\.K\.|Ltd|Limited|LLC|Inc|PLC|SARL|SAS|SASU|EURL|SA|BV|NV)\b/u.test(text),
    )
  );
}

/** The recipient: the next block with a post code that is not the sender's. */
function recipient(blocks: readonly TextBlock[], seller: PartyText | undefined): PartyText | undefined {
  const block = blocks.find(
    (each) =>
      !isSame(each, seller) && each.cells.length > 1 && each.cells.some(({ text }) => placeIn(text) !== undefined),
  );
  return block === undefined ? undefined : textOf(block);
}

function isSame({ cells: [first] }: TextBlock, party: PartyText | undefined): boolean {
  return first !== undefined && party?.cells.includes(first.text) === true;
}

function textOf({ cells }: TextBlock): PartyText {
  const [first] = cells;
  const source = first === undefined ? '' : place(first);
  return { cells: cells.slice(0, MAX_LINES).map(({ text }) => text), source, confidence: BY_PLACE };
}

function place(cell: Cell): string {
  return `page ${String(cell.page)}, at ${String(Math.round(cell.x))},${String(Math.round(cell.y))}`;
}

function partyOf(text: PartyText | undefined): Party {
  if (text === undefined) return {};
  const found = (value: string | undefined): Found | undefined =>
    value === undefined ? undefined : { value, source: text.source, confidence: text.confidence };
  const all = text.cells.join('\n');
  const name = text.cells.find(
    (each) => /\p{L}{2}/u.test(each) && placeIn(each) === undefined && countryOf(each) === undefined,
  );
  const address = addressOf(text.cells.filter((each) => each !== name));
  return present({
    name: found(name),
    vatId: found(text.cells.map(vatIdIn).find((id) => id !== undefined)),
    street: found(address.street),
    city: found(address.city),
    postCode: found(address.postCode),
    country: found(address.country),
    email: found(emailIn(all)),
  });
}

/** Identifiers found anywhere in the document are the seller's, unless they are the buyer's. */
function documentIds(lines: readonly Line[], languages: readonly Language[], buyer: Party): Party {
  const others = lines.filter(
    ({ cells }) => !cells.some(({ text }) => buyer.vatId !== undefined && vatIdIn(text) === buyer.vatId.value),
  );
  const find = (
    labels: Parameters<typeof startsWith>[0],
    read: (text: string) => string | undefined,
  ): Found | undefined => {
    const found = labelledValue(others, startsWith(labels, languages), read);
    return found === undefined ? undefined : { value: found.value, source: found.source, confidence: found.confidence };
  };
  return present({
    vatId: find(VAT_ID_LABELS, vatIdIn) ?? anywhere(others),
    taxId: find(TAX_NUMBER_LABELS, (text) => /^\d[\d\s/]{6,}\d/u.exec(text)?.[0].trim()),
    registrationId: find(REGISTRATION_LABELS, (text) => /^[A-Z]{0,3}\s?\d[\d\s]{4,}\d/u.exec(text)?.[0].trim()),
  });
}

function anywhere(lines: readonly Line[]): Found | undefined {
  for (const cell of lines.flatMap(({ cells }) => cells)) {
    const value = ibanIn(cell.text) === undefined ? vatIdIn(cell.text) : undefined;
    if (value !== undefined) return { value, source: place(cell), confidence: 0.7 };
  }
  return undefined;
}
