import { loadConfig } from '../../main/app.environment.js';
import { policySettings } from '../../main/app.settings.js';
import { explain } from '../../policy/explain.js';
import { OperatorError } from './operator-error.js';
import { type Output, table } from './output.js';

/** The question to the policy. */
export interface PolicyOptions {
  readonly caller: string;
  readonly tenant: string;
  readonly intent?: string;
  readonly skill?: string;
  readonly key?: string;
  readonly file?: string;
}

/** The rule that decides each part of a question. Throws `OperatorError` without a policy or a question. */
export function explainPolicy({ file, ...question }: PolicyOptions): Output {
  const { policy } = policySettings(file === undefined ? loadConfig() : { POLICY_FILE: file });
  if (policy === undefined) throw new OperatorError('There is no policy: set POLICY_FILE, or name one with --file.');
  const answers = explain(policy, question);
  if (answers.length === 0) throw new OperatorError('Say what the caller wants: --intent, --skill or --key.');
  const rows = answers.map(({ what, isAllowed, rule }) => [what, isAllowed ? 'allowed' : 'denied', rule]);
  return { json: answers, text: table(['for', 'decision', 'rule'], rows) };
}
