import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { OperationName } from '@parley/protocol/model/operations.js';
import { callOwn, type Frame } from '../../api/a2a/a2a.js';
import { type AgentLook, callOther, canResume, dialectsOf } from '../../api/a2a/other-agents.js';
import { type Dialect, DIALECTS, type RpcAnswer } from '../../api/a2a/wire-request.js';
import { type Question, requireAsked } from '../../api/questions.js';
import { config } from '../../api/session/session.js';
import { errorOf, useLoad } from '../../api/use-load.js';
import { Foreign, Problem } from '../../parts/content/hostile-text.js';
import { defaultsOf, fieldsOf, valueIn } from '../../parts/form/schema-form.js';
import type { Given } from '../../parts/form/use-answer.js';
import { route } from '../../router.js';
import {
  Choice,
  type ChosenFile,
  ContractForm,
  Examples,
  Files,
  MetadataField,
  NotShared,
  partsOf,
  readFiles,
  type Way,
  WAYS,
} from './playground-parts.js';
import { AgentChoice, AgentReport } from './playground-agent.js';
import { BinChoice, BinLog, useBin } from './playground-bin.js';
import {
  type Contract,
  contractKey,
  cut,
  readContract,
  showsContract,
  type Skill,
  skillsOf,
} from './playground-skills.js';
import { TalkedTask } from './playground-task.js';
import { isOpen, messageTo, metadataOf, taken, type Talk } from './talk.js';
import { WireLog } from './wire-log.js';

/** Sends messages over A2A as any caller does, and shows the wire traffic. */
export function PlaygroundScreen(): JSX.Element {
  const read = config.value;
  if (read !== undefined && read.login.kind !== 'open' && read.ownership === 'client') {
    return (
      <>
        <header class="head">
          <h1>Playground</h1>
        </header>
        <NotShared />
      </>
    );
  }
  return <Play />;
}

function Play(): JSX.Element {
  /** Empty for this one. */
  const agent = useSignal(route.value.query.agent ?? '');
  const look = useSignal<AgentLook | undefined>(undefined);
  const skills = useSignal<readonly Skill[]>([]);
  const skill = useSignal('');
  const text = useSignal('');
  /** A message to the task that is open: never the one that has begun it, which may still be in its field. */
  const reply = useSignal('');
  const metadata = useSignal('');
  const files = useSignal<readonly ChosenFile[]>([]);
  const values = useSignal<Readonly<Record<string, unknown>>>({});
  const isOwn = agent.value === '';
  const hasContract = isOwn ? skill.value !== '' : showsContract(look.value, skill.value);
  const key = hasContract ? contractKey(agent.value, skill.value) : undefined;
  const contract = useLoad<Contract>(key, 0, readContract);
  const way = useSignal<Way>('stream');
  const dialect = useSignal<Dialect>('rpc');
  const talk = useSignal<Talk>({ taskId: route.value.query.task, contextId: route.value.query.context });
  const failure = useSignal('');
  const isBusy = useSignal(false);
  const { bin, webhook } = useBin();
  const wantsBin = useSignal(false);
  const hasWebhooks = useSignal(false);
  const hasBin = isOwn && hasWebhooks.value;
  const end = useRef(new AbortController());
  const failed = (error: unknown): void => {
    failure.value = errorOf(error).message;
  };
  useEffect(() => {
    let isCurrent = true;
    failure.value = '';
    look.value = undefined;
    skillsOf(agent.value).then(
      ({ found, looked, hasPush }) => {
        if (!isCurrent) return;
        [skills.value, look.value, hasWebhooks.value] = [found, looked, hasPush];
        skill.value = found.find(({ id }) => id === skill.value)?.id ?? found[0]?.id ?? '';
        const [first] = looked?.found === true ? dialectsOf(looked.interfaces) : [];
        if (first !== undefined) dialect.value = first;
      },
      (error: unknown) => {
        if (isCurrent) failed(error);
      },
    );
    return () => {
      isCurrent = false;
      end.current.abort();
    };
  }, [agent.value]);
  const take = ({ result, error }: RpcAnswer): void => {
    if (error !== undefined) failure.value = error.message;
    else talk.value = taken(talk.value, result);
  };
  const onFrame = ({ id, answer }: Frame): void => {
    const { task, lastEventId } = talk.value;
    take(answer);
    // A resumed stream begins with the event that is known, and its task has no artifacts: those that are here stay.
    const artifacts = task?.artifacts;
    if (id !== undefined && id === lastEventId && artifacts !== undefined && talk.value.task !== undefined) {
      talk.value = { ...talk.value, task: { ...talk.value.task, artifacts } };
    }
    // Ids of agents that do not say so begin anew with each stream.
    if (id !== undefined && (isOwn || canResume(look.value?.found === true ? look.value.card : undefined)))
      talk.value = { ...talk.value, lastEventId: id };
  };
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    isBusy.value = true;
    failure.value = '';
    end.current = new AbortController();
    try {
      await work();
    } catch (error) {
      failure.value = errorOf(error).message;
    }
    isBusy.value = false;
  };
  const speak = async (operation: OperationName, params: unknown, after?: string): Promise<void> => {
    const options = { signal: end.current.signal, dialect: dialect.value, onFrame };
    const resumed = after === undefined ? options : { ...options, after };
    if (isOwn) await callOwn({ operation, params }, resumed);
    else await callOther(agent.value, { operation, params }, resumed);
  };
  const { data: shown } = contract.state.value;
  const fields = hasContract ? fieldsOf(shown?.input) : [];
  useEffect(() => {
    values.value = defaultsOf(fields);
  }, [shown]);
  /** The form of the contract as data; undefined where it has none, or a text stands for it. */
  const filledIn = (): unknown => {
    if (fields.length === 0 || (text.value !== '' && Object.keys(values.value).length === 0)) return undefined;
    return valueIn(fields, values.value);
  };
  const register = (taskId: string): Promise<void> =>
    guarded(async () => {
      await speak('CreateTaskPushNotificationConfig', { taskId, ...(await webhook()) });
    });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy.peek()) return;
    const more = metadataOf(metadata.value);
    if (more === undefined) {
      failure.value = 'The metadata is not a JSON object.';
      return;
    }
    const isReply = isOpen(talk.value);
    const parts = partsOf(isReply ? reply.value : text.value, isReply ? undefined : filledIn(), files.value);
    const message = messageTo(talk.value, { parts, messageId: crypto.randomUUID() });
    const named = { ...(isReply ? {} : { skillId: skill.value }), ...more };
    await guarded(async () => {
      const configuration = {
        returnImmediately: way.value === 'leave',
        ...(hasBin && wantsBin.value ? { taskPushNotificationConfig: await webhook() } : {}),
      };
      const params = { message, configuration, metadata: named };
      reply.value = '';
      await speak(way.value === 'stream' ? 'SendStreamingMessage' : 'SendMessage', params);
    });
  };
  const answer = async (question: Question, { value, messageId }: Given): Promise<'answered'> => {
    const parts = [typeof value === 'string' ? { text: value } : { data: value }];
    const params = { message: messageTo(talk.value, { parts, messageId, question }) };
    await guarded(async () => {
      const { taskId } = talk.value;
      if (isOwn && taskId !== undefined && question.askedBy !== undefined) await requireAsked(taskId, question.askedBy);
      await speak(way.value === 'stream' ? 'SendStreamingMessage' : 'SendMessage', params);
    });
    if (failure.value !== '') throw new Error(failure.value);
    return 'answered';
  };
  const resume = (): Promise<void> =>
    guarded(() => speak('SubscribeToTask', { id: talk.value.taskId }, talk.value.lastEventId));
  const ask = (operation: OperationName): Promise<void> => guarded(() => speak(operation, { id: talk.value.taskId }));
  const chosen = skills.value.find(({ id }) => id === skill.value);
  const { taskId } = talk.value;
  const isReply = isOpen(talk.value);
  const written = isReply ? reply : text;
  return (
    <>
      <header class="head">
        <h1>Playground</h1>
        <span class="soft small">{isOwn ? 'Sends with your own rights' : 'Sends through the service'}</span>
      </header>
      <div class="play">
        <form class="card pad stack" onSubmit={(event) => void submit(event)}>
          <AgentChoice
            agent={agent.value}
            onAgent={(chosen) => {
              [agent.value, talk.value] = [chosen, {}];
            }}
          />
          <label class="field">
            <span>Skill</span>
            <select
              value={skill.value}
              disabled={isReply}
              onChange={({ currentTarget }) => {
                skill.value = currentTarget.value;
              }}
            >
              {skills.value.map(({ id, name }) => (
                <option key={id} value={id}>
                  {cut(name)} ({cut(id)})
                </option>
              ))}
            </select>
          </label>
          {chosen?.description === undefined ? null : (
            <p class="small soft">
              <Foreign text={chosen.description} />
            </p>
          )}
          {hasContract && shown?.why !== undefined ? (
            <p class="note warn">
              The contract of the skill cannot be read: <Foreign text={shown.why} />
            </p>
          ) : null}
          {fields.length === 0 || isReply ? null : <ContractForm fields={fields} values={values} />}
          <label class="field">
            <span>Message</span>
            <textarea
              rows={5}
              required={(isReply || fields.length === 0) && files.value.length === 0}
              value={written.value}
              onInput={({ currentTarget }) => {
                written.value = currentTarget.value;
              }}
            />
          </label>
          {text.value === '' && !isReply ? (
            <Examples
              of={chosen?.examples}
              onChosen={(example) => {
                text.value = example;
              }}
            />
          ) : null}
          <Files
            files={files.value}
            onFiles={(chosen) => {
              readFiles(chosen).then((read) => (files.value = read), failed);
            }}
          />
          <MetadataField text={metadata} />
          <Choice label="How" options={WAYS} value={way} />
          <Choice label="Over" options={DIALECTS} value={dialect} />
          {hasBin ? <BinChoice isOn={wantsBin} /> : null}
          {look.value?.found === true && !dialectsOf(look.value.interfaces).includes(dialect.value) ? (
            <p class="note warn">The card of the agent has no such interface.</p>
          ) : null}
          <Problem text={failure.value} />
          <div class="row">
            <button type="submit" class="button main-action" disabled={isBusy.value}>
              {isReply ? 'Send to the task' : taskId === undefined ? 'Send' : 'Send again'}
            </button>
            {isBusy.value ? (
              <button
                type="button"
                class="button"
                onClick={() => {
                  end.current.abort();
                }}
              >
                Cut the stream
              </button>
            ) : null}
            {taskId === undefined ? null : (
              <button
                type="button"
                class="button plain"
                onClick={() => {
                  talk.value = {};
                  failure.value = '';
                }}
              >
                New task
              </button>
            )}
          </div>
        </form>
        <div class="stack">
          {look.value === undefined ? null : <AgentReport look={look.value} />}
          {taskId === undefined ? null : (
            <TalkedTask
              talk={{ ...talk.value, taskId }}
              isOwn={isOwn}
              isBusy={isBusy.value}
              onAnswer={answer}
              onResume={() => void resume()}
              onAsk={(operation) => void ask(operation)}
              onWebhook={hasBin ? () => void register(taskId) : undefined}
            />
          )}
          {bin.value === undefined ? null : <BinLog bin={bin.value} />}
          <WireLog />
        </div>
      </div>
    </>
  );
}
