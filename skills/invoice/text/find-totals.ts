import { Big } from 'big.js';
import { amountText, decimalOf, sum } from '../decimal.js';
import { present } from '../invoice.js';
import type { Found, Invoice, Totals } from '../invoice.js';
import { adjustmentsOf, taxLinesOf } from './find-tax-lines.js';
import type { LabelledAmount } from './labelled-amount.js';
import { totalKindOf } from './total-labels.js';
import type { TotalKind } from './total-labels.js';

/** Sums that prove each other are nearly certain; a sum alone is trusted by its label. */
const PROVEN = 0.97;
const ALONE = 0.7;
/** Documents round each tax line, so their sums may be off by a cent or two. */
const TOLERANCE = '0.02';
/** Amounts of a kind that are tried, from the bottom: the sums of an invoice are below its items, and few. */
const MAX_OF_A_KIND = 50;

export type Sums = Pick<Invoice, 'totals' | 'taxes' | 'allowances' | 'remarks'>;
export type ByKind = Readonly<Record<TotalKind, readonly LabelledAmount[]>>;

/** An amount that may be one of the sums. */
interface Candidate {
  readonly value: Big;
  readonly source: string;
}

interface Proof {
  readonly net: Candidate;
  readonly tax: Candidate;
  readonly gross: Candidate;
}

/** Net, tax, gross and payable amounts by their labels, checked against each other and against the sum of the lines. */
export function findTotals(entries: readonly LabelledAmount[], lineSum: string | undefined): Sums {
  const kinds = byKind(entries);
  const lines = decimalOf(lineSum);
  const nets = [
    ...candidates(kinds.net),
    ...(lines === undefined ? [] : [{ value: lines, source: 'sum of the lines' }]),
  ];
  const adjustments = adjustmentsOf(kinds);
  const change = sum(adjustments.map(({ isCharge, amount = '0' }) => (isCharge ? amount : `-${amount}`)));
  const direct = proofOf(nets, kinds);
  const proof =
    direct ??
    proofOf(
      nets.map(({ value, source }) => ({ value: value.plus(change), source })),
      kinds,
    );
  const isAdjusted =
    !change.eq(0) && proof !== undefined && nets.some(({ value }) => value.plus(change).eq(proof.net.value));
  const totals = proof === undefined ? alone(kinds, lines) : provenTotals(proof);
  return {
    totals: present({
      ...totals,
      ...(lines === undefined ? {} : { lineTotal: found({ value: lines, source: 'sum of the lines' }, ALONE) }),
      ...payment(kinds, totals.taxInclusive),
    }),
    taxes: taxLinesOf(kinds.tax, totals.taxExclusive?.value),
    allowances: isAdjusted ? adjustments : [],
    remarks: proof === undefined ? [`The sums could not be checked against each other: ${missing(totals)}.`] : [],
  };
}

function byKind(entries: readonly LabelledAmount[]): ByKind {
  const kinds: Record<TotalKind, LabelledAmount[]> = {
    payable: [],
    prepaid: [],
    net: [],
    tax: [],
    allowance: [],
    charge: [],
    gross: [],
  };
  for (const entry of entries.toReversed()) {
    const kind = totalKindOf(entry.folded);
    if (kind !== undefined && kinds[kind].length < MAX_OF_A_KIND) kinds[kind].unshift(entry);
  }
  return kinds;
}

/** The last amounts first: a sum is below its items, and at the right end of its line. */
function candidates(entries: readonly LabelledAmount[]): readonly Candidate[] {
  return entries.toReversed().flatMap(({ amounts, label, page }) => {
    const value = decimalOf(amounts.at(-1));
    return value === undefined ? [] : [{ value, source: `page ${String(page)}, "${label}"` }];
  });
}

/** The first net, tax and gross amounts that fit together. A missing tax is found by its value. */
function proofOf(nets: readonly Candidate[], kinds: ByKind): Proof | undefined {
  const taxes = byCents(taxCandidates(kinds.tax));
  for (const gross of [...candidates(kinds.gross), ...candidates(kinds.payable)]) {
    for (const net of nets) {
      const tax = fitting(taxes, gross.value.minus(net.value));
      if (tax !== undefined) return { net, tax, gross };
    }
  }
  return undefined;
}

type ByCents = ReadonlyMap<string, readonly Candidate[]>;

/** Candidates by their value in whole cents; several may have the same. */
function byCents(all: readonly Candidate[]): ByCents {
  const found = new Map<string, Candidate[]>();
  for (const candidate of all) {
    const cents = centsOf(candidate.value);
    found.set(cents, [...(found.get(cents) ?? []), candidate]);
  }
  return found;
}

/** The first candidate that differs from a value by the tolerance at most: in its own cent or in three around it. */
function fitting(all: ByCents, value: Big): Candidate | undefined {
  return [0, 0.01, -0.01, 0.02, -0.02, 0.03, -0.03]
    .flatMap((step) => all.get(centsOf(value.plus(step))) ?? [])
    .find((candidate) => candidate.value.minus(value).abs().lte(TOLERANCE));
}

function centsOf(value: Big): string {
  return value.round(2, Big.roundDown).toFixed(2);
}

/** Each tax amount, and all of different rates together. */
function taxCandidates(entries: readonly LabelledAmount[]): readonly Candidate[] {
  const single = candidates(entries);
  if (single.length === 0) return [];
  const all = {
    value: sum(single.map(({ value }) => value.toFixed())),
    source: single.map(({ source }) => source).join(' + '),
  };
  return single.length === 1 ? single : [all, ...single];
}

function provenTotals({ net, tax, gross }: Proof): Totals {
  return { taxExclusive: found(net, PROVEN), tax: found(tax, PROVEN), taxInclusive: found(gross, PROVEN) };
}

/** Totals by their labels alone; a total that is the sum of the lines needs no more proof. */
function alone(kinds: ByKind, lines: Big | undefined): Totals {
  const gross = candidates(kinds.gross)[0] ?? candidates(kinds.payable)[0];
  const isSum = gross !== undefined && lines?.eq(gross.value) === true;
  const [net] = candidates(kinds.net);
  const [tax] = taxCandidates(kinds.tax);
  return present({
    taxExclusive: net === undefined ? undefined : found(net, ALONE),
    tax: tax === undefined ? undefined : found(tax, ALONE),
    taxInclusive: gross === undefined ? undefined : found(gross, isSum ? PROVEN : ALONE),
  });
}

/** The amount due: as printed, else the gross amount less the paid one. */
function payment(kinds: ByKind, gross: Found | undefined): Totals {
  const [prepaid] = candidates(kinds.prepaid);
  const [printed] = candidates(kinds.payable);
  const total = decimalOf(gross?.value);
  const paid = prepaid?.value.abs();
  if (printed !== undefined) {
    const isProven = total?.minus(paid ?? 0).eq(printed.value) === true;
    return present({
      payable: found(printed, isProven ? PROVEN : ALONE),
      prepaid: prepaid === undefined ? undefined : found({ ...prepaid, value: prepaid.value.abs() }, ALONE),
    });
  }
  if (gross === undefined || total === undefined) return {};
  if (prepaid === undefined || paid === undefined) return { payable: gross };
  const source = `${gross.source} less ${prepaid.source}`;
  return {
    payable: { value: amountText(total.minus(paid)), source, confidence: ALONE },
    prepaid: found({ ...prepaid, value: paid }, ALONE),
  };
}

function found({ value, source }: Candidate, confidence: number): Found {
  return { value: amountText(value), source, confidence };
}

function missing({ taxExclusive, tax, taxInclusive }: Totals): string {
  const names = [
    ...(taxExclusive === undefined ? ['the total without VAT'] : []),
    ...(tax === undefined ? ['the VAT'] : []),
    ...(taxInclusive === undefined ? ['the total'] : []),
  ];
  return names.length === 0 ? 'net and VAT do not add up to the total' : `${names.join(', ')} not found`;
}
