import type { Type } from '@nestjs/common';
import type { SkillHandler } from '../skill.js';
import { CountdownSkill } from './countdown.skill.js';
import { EchoSkill } from './echo.skill.js';
import { ApprovePaymentSkill } from './invoice/approve-payment.skill.js';
import { ExtractInvoiceDataSkill } from './invoice/extract-invoice-data.skill.js';
import { ValidateInvoiceSkill } from './invoice/validate-invoice.skill.js';
import { SummarizeTextSkill } from './summarize-text.skill.js';

/** The skills of this service. A new one is one import and one line here; `npm run skill:new` writes both. */
// One skill a line keeps merges easy.
// prettier-ignore
export const CATALOG: readonly Type<SkillHandler>[] = [
  EchoSkill,
  SummarizeTextSkill,
  CountdownSkill,
  ExtractInvoiceDataSkill,
  ValidateInvoiceSkill,
  ApprovePaymentSkill,
];
