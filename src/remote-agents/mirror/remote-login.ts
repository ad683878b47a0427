import { bytesAsJson } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import type { QuestionSpec, StoredAnswer } from '@parley/protocol/extension/questions.js';
import { QuestionTimedOut, WITHDRAWN } from '@parley/sdk/skill/questions/ask.js';
import { hosted } from '@parley/sdk/skill/context/skill-host.js';
import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { type Poll, textOf } from './remote-calls.js';
import type { RemoteAsks, RemotePolls } from './remote-polls.js';

/** Larger messages of an agent are reduced to their truncated text. */
const MAX_BYTES = 32 * 1024;

/** The parts of the question that an agent asks. */
export function wordsOf({ parts }: RemoteAsks, name: string): readonly Part[] {
  return parts.length > 0 ? parts : [{ text: `The agent ${name} asks for more.` }];
}

/**
 * Asks the caller for the login that another agent waits for, and keeps polling the agent: the login may reach it
 * elsewhere (A2A-TASKAUTH-02). Resolves with the first of the two: the answer, or a poll that sees the agent continue.
 * @throws QuestionTimedOut
 */
export async function askToLogIn(
  context: SkillContext,
  polls: RemotePolls,
  asked: RemoteAsks,
  name: string,
): Promise<StoredAnswer | Poll> {
  let hasEnded = false;
  const continued = polls.after(asked, () => hasEnded);
  const words = wordsOf(asked, name);
  const parts = bytesAsJson(words) > MAX_BYTES ? [{ text: textOf(words) }] : words;
  const question: QuestionSpec = { parts, state: 'TASK_STATE_AUTH_REQUIRED' };
  const answer = await hosted(context, 'ask')(question, continued);
  hasEnded = true;
  if (answer === undefined) throw new QuestionTimedOut(`Nobody has logged in for the agent ${name} in time`);
  return answer === WITHDRAWN ? continued : answer;
}
