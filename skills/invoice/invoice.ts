import type { AllowanceDto } from './dto/allowance.dto.js';
import type { InvoiceLineDto } from './dto/invoice-line.dto.js';
import type { InvoiceDto } from './dto/invoice.dto.js';
import type { PartyDto } from './dto/party.dto.js';
import type { PaymentDto } from './dto/payment.dto.js';
import type { TaxLineDto } from './dto/tax-line.dto.js';
import type { TotalsDto } from './dto/totals.dto.js';

/** The shape of a DTO class as plain data: values that are read, stored and sent are objects, never instances. */
export type DataOf<T> = T extends readonly (infer Element)[]
  ? readonly DataOf<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: DataOf<T[Key]> }
    : T;

/** The model is the output contract itself: readers make plain objects of these shapes. */
export type Invoice = DataOf<InvoiceDto>;
export type Party = DataOf<PartyDto>;
export type Payment = DataOf<PaymentDto>;
export type InvoiceLine = DataOf<InvoiceLineDto>;
export type TaxLine = DataOf<TaxLineDto>;
export type Allowance = DataOf<AllowanceDto>;
export type Totals = DataOf<TotalsDto>;
export type InvoiceKind = Invoice['kind'];

/** A value, where it was found, and how sure the reader is of it (0 to 1). */
export interface Found {
  readonly value: string;
  readonly source: string;
  readonly confidence: number;
}

/** An object of the same members without those that are undefined. */
export type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out the members that are undefined, so that an absent value is absent in JSON too. */
export function present<T extends object>(members: T): Present<T> {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as Present<T>;
}

/** UNTDID 1001 codes that give money back (EN 16931, BT-3). */
const CREDIT_CODES = ['81', '83', '261', '262', '296', '308', '381', '396', '420', '458', '532'];

export function kindOfTypeCode(code: string | undefined): InvoiceKind {
  return code !== undefined && CREDIT_CODES.includes(code) ? 'credit-note' : 'invoice';
}
