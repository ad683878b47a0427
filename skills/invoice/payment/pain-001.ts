import { createHash } from 'node:crypto';
import { Big } from 'big.js';
import type { DataOf } from '../invoice.js';
import type { PaymentInstructionDto, PaymentOrderDto } from '../dto/payment-instruction.dto.js';

/** A credit transfer as a bank takes it. */
export interface PaymentInstruction {
  readonly told: DataOf<PaymentInstructionDto>;
  /** ISO 20022 pain.001.001.09. */
  readonly xml: string;
}

/** Writes one credit transfer (ISO 20022 `CustomerCreditTransferInitiation`, pain.001.001.09). */
export function paymentInstruction(order: DataOf<PaymentOrderDto>, now: Date): PaymentInstruction {
  const amount = new Big(order.amount).toFixed(2);
  const iban = compact(order.iban);
  const executionDate = order.executionDate ?? now.toISOString().slice(0, 10);
  const identity = createHash('sha256').update([iban, order.reference, amount, order.currency].join('|')).digest('hex');
  const ids = { endToEndId: `E2E-${identity.slice(0, 28)}`, messageId: `MSG-${identity.slice(0, 28)}` };
  return {
    told: { ...ids, amount, currency: order.currency, executionDate },
    xml: documentOf({ ...order, iban, amount, executionDate, ...ids, createdAt: now.toISOString().slice(0, 19) }),
  };
}

interface Written extends DataOf<PaymentOrderDto> {
  readonly executionDate: string;
  readonly endToEndId: string;
  readonly messageId: string;
  readonly createdAt: string;
}

function documentOf(order: Written): string {
  const { messageId, createdAt, amount, debtor } = order;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">
  <CstmrCdtTrfInitn>
    <GrpHdr>
      <MsgId>${escaped(messageId)}</MsgId>
      <CreDtTm>${createdAt}</CreDtTm>
      <NbOfTxs>1</NbOfTxs>
      <CtrlSum>${amount}</CtrlSum>
      <InitgPty><Nm>${escaped(debtor)}</Nm></InitgPty>
    </GrpHdr>
${paymentOf(order)}
  </CstmrCdtTrfInitn>
</Document>
`;
}

function paymentOf({ messageId, executionDate, debtor, debtorIban, currency, ...transfer }: Written): string {
  const service = currency === 'EUR' ? '\n      <PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf>' : '';
  return `    <PmtInf>
      <PmtInfId>${escaped(messageId)}</PmtInfId>
      <PmtMtd>TRF</PmtMtd>${service}
      <ReqdExctnDt><Dt>${executionDate}</Dt></ReqdExctnDt>
      <Dbtr><Nm>${escaped(debtor)}</Nm></Dbtr>
      <DbtrAcct><Id>${accountOf(debtorIban)}</Id></DbtrAcct>
      <DbtrAgt><FinInstnId>${NOT_PROVIDED}</FinInstnId></DbtrAgt>
      <ChrgBr>SLEV</ChrgBr>
${transferOf({ ...transfer, currency })}
    </PmtInf>`;
}

type Transfer = Omit<Written, 'messageId' | 'executionDate' | 'debtor' | 'debtorIban'>;

function transferOf({ endToEndId, amount, currency, bic, creditor, iban, reference }: Transfer): string {
  const agent = bic === undefined ? '' : `\n        <CdtrAgt><FinInstnId><BICFI>${bic}</BICFI></FinInstnId></CdtrAgt>`;
  return `      <CdtTrfTxInf>
        <PmtId><EndToEndId>${escaped(endToEndId)}</EndToEndId></PmtId>
        <Amt><InstdAmt Ccy="${currency}">${amount}</InstdAmt></Amt>${agent}
        <Cdtr><Nm>${escaped(creditor)}</Nm></Cdtr>
        <CdtrAcct><Id><IBAN>${iban}</IBAN></Id></CdtrAcct>
        <RmtInf><Ustrd>${escaped(reference)}</Ustrd></RmtInf>
      </CdtTrfTxInf>`;
}

/** The standard's value for an account or a bank that the sender does not name. */
const NOT_PROVIDED = '<Othr><Id>NOTPROVIDED</Id></Othr>';

function accountOf(iban: string | undefined): string {
  return iban === undefined ? NOT_PROVIDED : `<IBAN>${compact(iban)}</IBAN>`;
}

function compact(iban: string): string {
  return iban.replace(/\s/gu, '').toUpperCase();
}

function escaped(text: string): string {
  return text
    .replace(/\p{Cc}/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
