import type { Report } from './run-scenario.js';
import { SCENARIOS } from './scenarios.js';

/** The reports as a Markdown table, each with the command that repeats it. */
export function tableOf(reports: readonly Report[]): string {
  const rows = reports.map((report) => [
    `\`${commandOf(report)}\``,
    report.summary,
    report.ok ? 'yes' : [...report.broken, ...report.late].join('; '),
  ]);
  return [['command', 'measured', 'kept'], ['---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

function commandOf({ scenario, tasks }: Report): string {
  const isSized = SCENARIOS.find(({ name }) => name === scenario)?.tasks !== undefined;
  return `npm run chaos -- --scenario ${scenario}${isSized ? ` --tasks ${tasks}` : ''}`;
}
