import type { Invoice } from '../invoice.js';
import { ARITHMETIC_RULES } from './arithmetic.js';
import { CODE_RULES } from './codes.js';
import { REQUIRED_RULES } from './required.js';
import type { Finding, Problem, Rule, Severity } from './rule.js';
import { VAT_CATEGORY_RULES } from './vat-category.js';

/** All rules over one invoice. */
export const RULES: readonly Rule[] = [...REQUIRED_RULES, ...ARITHMETIC_RULES, ...VAT_CATEGORY_RULES, ...CODE_RULES];

/** Most findings that are reported; a document with more is wrong as a whole. */
const MAX_FINDINGS = 500;

const ORDER: readonly Severity[] = ['error', 'warning', 'info'];

/** Findings of the rules of EN 16931, errors first. */
export function validate(invoice: Invoice): readonly Finding[] {
  const findings = RULES.flatMap((rule) => rule.check(invoice).map((problem) => finding(rule, problem, invoice)));
  return findings.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity)).slice(0, MAX_FINDINGS);
}

function finding({ id, scope }: Rule, problem: Problem, invoice: Invoice): Finding {
  const { severity, ...details } = problem;
  return { rule: id, severity: milder(severityOf(scope, invoice), severity ?? 'error'), ...details };
}

/** The forms of EN 16931 bind electronic invoices only; a printed one cannot say its profile or its unit codes. */
function severityOf(scope: Rule['scope'], { format, profile }: Invoice): Severity {
  if (scope === 'always') return 'error';
  if (format === 'pdf-text' || format === 'text' || format === 'json') return 'info';
  return scope === 'lines' && hasNoLines(profile?.value) ? 'info' : 'error';
}

/** Factur-X MINIMUM and BASIC WL carry no lines by design. */
function hasNoLines(profile: string | undefined): boolean {
  return /(?:minimum|basicwl)/iu.test(profile ?? '');
}

function milder(a: Severity, b: Severity): Severity {
  return ORDER.indexOf(a) > ORDER.indexOf(b) ? a : b;
}
