/** Skills of this pack that the service loads. */
export { ApprovePaymentSkill } from './approve-payment.skill.js';
export { ExtractInvoiceDataSkill } from './extract-invoice-data.skill.js';
export { InvoiceModule } from './invoice.module.js';
export { InvoiceSettings } from './invoice.settings.js';
export { PayInvoiceAgent } from './payment/pay-invoice.agent.js';
export { ValidateInvoiceSkill } from './validate-invoice.skill.js';
export { WritePaymentInstructionSkill } from './payment/write-payment-instruction.skill.js';
