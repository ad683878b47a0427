import type { ValidationReportDto } from '../dto/validation-report.dto.js';
import type { DataOf } from '../invoice.js';
import type { Finding } from '../rule/rule.js';
import { titleOf } from './invoice-markdown.js';
import { plain, table } from './markdown.js';

/** A validation report for people to read. */
export function reportMarkdown({ valid, rules, findings, invoice }: DataOf<ValidationReportDto>): string {
  return [
    `# ${titleOf(invoice)}: ${valid ? 'valid' : 'not valid'}`,
    '',
    `${summaryOf(findings)}, ${String(rules)} rules checked.`,
    '',
    ...findingTable(findings),
  ]
    .join('\n')
    .trim();
}

/** `2 errors, 1 warning`. */
export function summaryOf(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  return `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
}

export function findingTable(findings: readonly Finding[]): readonly string[] {
  return table(
    ['Severity', 'Rule', 'Where', 'What', 'Expected', 'Found'],
    findings.map(({ severity, rule, path, message, expected, actual }) => [
      severity,
      rule,
      plain(path),
      plain(message),
      plain(expected ?? ''),
      plain(actual ?? ''),
    ]),
  );
}

function counted(count: number, what: string): string {
  return `${count === 0 ? 'no' : String(count)} ${what}${count === 1 ? '' : 's'}`;
}
