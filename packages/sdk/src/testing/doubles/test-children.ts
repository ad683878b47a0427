import type { CallGroup, CallOutcome, CallSpec } from '../../skill/calls/call.js';
import { loopOf, type Transferred, transferred } from '../../skill/calls/transfer-path.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { SkillEvent } from '../../skill/events.js';
import { type AnswerSource, inOrder } from '../answers.js';
import {
  type ChildAnswer,
  childOutcome,
  type ChildTurn,
  partsOf,
  type SkillUnderTest,
  untilSettled,
} from '../child-answer.js';
import type { RecordedRun } from '../recorded-run.js';
import { asked } from './test-values.js';
import type { TestTurn } from '../waiting-run.js';

/** The tree of a turn under test. */
export interface TestTree {
  /** Called skills by their ids. */
  readonly children: Record<string, ChildAnswer | SkillUnderTest>;
  readonly answers: AnswerSource;
  /** Runs one turn of a called skill. */
  readonly stream: (skill: SkillUnderTest, turn: ChildTurn & Handed) => AsyncGenerator<SkillEvent, void, void>;
  /** Outcomes of calls in a recorded run. */
  readonly outcome?: RecordedRun['outcome'] | undefined;
}

/** Context of a call: the hand-overs that led to it, the shared values that it begins with, and its requested media types. */
interface Handed {
  readonly transfers?: readonly Transferred[];
  readonly shared?: Map<string, unknown>;
  readonly parentHistory?: readonly Message[];
  readonly acceptedOutputModes?: readonly string[];
}

/** Outcome of one call. */
export async function childOf(
  { children, answers, stream, outcome }: TestTree,
  call: CallSpec,
  handed: Handed = {},
): Promise<CallOutcome> {
  const recorded = outcome?.(call);
  if (recorded !== undefined) return recorded;
  const { accepts: acceptedOutputModes } = call;
  return childOutcome(call, children[call.skillId], {
    turn: (skill, turn) =>
      stream(skill, { ...turn, ...handed, ...(acceptedOutputModes === undefined ? {} : { acceptedOutputModes }) }),
    answer: inOrder(answers),
  });
}

/** The hand-overs up to a call; a text where it is refused, as in the service. */
function transfersTo(
  { transfers = [] }: TestTurn,
  { skillId, input, isTransfer }: CallSpec,
): readonly Transferred[] | string {
  if (isTransfer !== true) return transfers;
  const next = transferred(skillId, partsOf(input));
  return loopOf(transfers, next) ?? [...transfers, next];
}

/** Outcomes of the calls of a group: each is made once, however often the turn is run. */
export async function childrenOf(test: TestTurn, group: CallGroup, tree: TestTree): Promise<readonly CallOutcome[]> {
  const fork = test.run.replay.position;
  const what = `${group.kind} ${JSON.stringify(group.calls)}`;
  const answeredAt = (number: number, call: CallSpec): Promise<CallOutcome> => {
    const known = test.children.get(call.key);
    if (known !== undefined) return known;
    const transfers = transfersTo(test, call);
    const parentHistory = test.passedOn(call);
    const answer =
      typeof transfers === 'string'
        ? Promise.resolve({ why: 'budget', text: transfers } as const)
        : test.shared.child(fork, (shared) => childOf(tree, call, { transfers, shared, parentHistory }));
    test.children.set(call.key, answer);
    return answer.then((outcome) => {
      test.made.push({ ...call, outcome });
      const at = [number, group.calls.indexOf(call)] as const;
      if (call.undo !== undefined) test.undos.push({ at, of: call.key, undo: call.undo, outcome });
      return outcome;
    });
  };
  const outcomes = (number: number): Promise<readonly CallOutcome[]> => {
    const answered = (call: CallSpec): Promise<CallOutcome> => answeredAt(number, call);
    return group.needed > 0 ? untilSettled(group, answered) : Promise.all(group.calls.map(answered));
  };
  const made = (await asked(test, what, outcomes)) as readonly CallOutcome[];
  await test.shared.join(fork, group, made);
  return made;
}
