import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { atMostEvery } from '../../api/feed/at-most-every.js';
import { follow } from '../../api/feed/feed.js';
import { postJson } from '../../api/request.js';
import { taskPath } from '../../api/paths.js';
import { Source } from '../../api/task-source.js';
import type { MeView, TaskDetails, TaskTree } from '../../api/types.js';
import type { TaskWebhooks } from '../../api/webhook-types.js';
import { type Loading, useLoad } from '../../api/use-load.js';
import { lookOf, shortId } from '../../view/format.js';
import { Confirm } from '../../parts/dialog.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Live } from '../../parts/list/live.js';
import { say, StateBadge, TaskLink } from '../../parts/small.js';
import { Shown } from '../../parts/states.js';
import { Tabs } from '../../parts/tabs.js';
import { hrefOf, route, segments } from '../../router.js';
import { ArtifactsTab, ConversationTab } from './task-content.js';
import { Bundle, hasScopes, mayReadContent, mayRunAgain, RunAgain } from './task-actions.js';
import { Facts } from './task-facts.js';
import { RawTab } from './task-raw.js';
import { TimelineTab } from './task-timeline.js';
import { TreeTab } from './task-tree.js';
import { WebhooksTab } from './task-webhooks.js';
import { Why } from './task-why.js';

/** A task that streams is read this often at most: a caller has 600 requests a minute, and this makes up to four. */
const RELOAD_MS = 1_000;

const TABS = [
  ['', 'Timeline'],
  ['conversation', 'Conversation'],
  ['artifacts', 'Artifacts'],
  ['webhooks', 'Webhooks'],
  ['tree', 'Tree'],
  ['raw', 'Raw'],
] as const;

/** One task: its history, messages and artifacts. */
export function TaskScreen({ me }: { readonly me: Loading<MeView> }): JSX.Element {
  const id = useComputed(() => segments.value[1] ?? '');
  const base = taskPath(id.value);
  const { read, isLive } = useContext(Source);
  const task = useLoad<TaskDetails>(base, 0, read);
  const tree = useLoad<TaskTree>(`${base}/tree`, 0, read);
  const webhooks = useLoad<TaskWebhooks>(`${base}/webhooks`, 0, read);
  /** Raised by events: tabs read their data anew. */
  const version = useSignal(0);
  useEffect(() => {
    if (!isLive) return undefined;
    const reload = atMostEvery(RELOAD_MS, () => {
      version.value += 1;
      for (const it of [task, tree, webhooks]) it.reload();
    });
    const stop = follow(`?task=${encodeURIComponent(id.value)}`, {
      onOpen: () => undefined,
      onFrame: ({ opened }) => {
        if (opened !== undefined) reload.call();
      },
    });
    return () => {
      stop();
      reload.stop();
    };
  }, [id.value]);
  return (
    <Shown of={task} rows={10}>
      {(found) => (
        <>
          <Head task={found} tree={tree} me={me} reload={task.reload} />
          <Views id={found.id} tree={tree} webhooks={webhooks} />
          <Tab name={segments.value[2] ?? ''} task={found} tree={tree} webhooks={webhooks} version={version.value} />
        </>
      )}
    </Shown>
  );
}

interface HeadProps {
  readonly task: TaskDetails;
  readonly tree: Loading<TaskTree>;
  readonly me: Loading<MeView>;
  readonly reload: () => void;
}

function Head({ task, tree, me, reload }: HeadProps): JSX.Element {
  const isAsking = useSignal(false);
  const isRerunning = useSignal(false);
  const { base, isLive } = useContext(Source);
  const mayCancel = hasScopes(me, ['a2a:tasks.operate']);
  const isOver = lookOf(task.state).isOver;
  return (
    <>
      <header class="stack">
        <nav class="small" aria-label="Way to here">
          <a href={hrefOf(base)}>{isLive ? 'Tasks' : 'Bundles'}</a>
          {task.tree === undefined ? null : (
            <>
              {' / '}
              <TaskLink id={task.tree.root} />
              {task.tree.parent === task.tree.root ? null : (
                <>
                  {' / '}
                  <TaskLink id={task.tree.parent} />
                </>
              )}
            </>
          )}
        </nav>
        <div class="head">
          <h1>{task.skill === '' ? 'No skill' : <Foreign text={task.skill} />}</h1>
          <StateBadge state={task.state} />
          {task.isCancelRequested && !isOver ? <span class="soft">cancel requested</span> : null}
          {isLive && !isOver ? <Live /> : null}
          {isLive ? (
            <span class="push row">
              <a class="button" href={hrefOf('/playground', { task: task.id, context: task.contextId })}>
                Open in playground
              </a>
              {mayReadContent(me) ? <Bundle task={task} /> : null}
              {mayReadContent(me) ? (
                <a class="button" href={hrefOf('/compare', { a: route.value.query.of ?? task.rerunOf, b: task.id })}>
                  Compare
                </a>
              ) : null}
              {mayRunAgain(me) && task.tree === undefined ? (
                <button
                  type="button"
                  class="button"
                  onClick={() => {
                    isRerunning.value = true;
                  }}
                >
                  Run again
                </button>
              ) : null}
              {mayCancel && !isOver ? (
                <button
                  type="button"
                  class="button danger"
                  onClick={() => {
                    isAsking.value = true;
                  }}
                >
                  Cancel task
                </button>
              ) : null}
            </span>
          ) : null}
        </div>
      </header>
      <Why task={task} />
      <section class="card pad" aria-label="About this task">
        <Facts task={task} tree={tree.state.value.data} />
      </section>
      {isRerunning.value ? (
        <RunAgain
          task={task}
          onDone={() => {
            isRerunning.value = false;
          }}
        />
      ) : null}
      {isAsking.value ? (
        <Confirm
          title={`Cancel task ${shortId(task.id)}?`}
          action="Cancel task"
          onDone={() => {
            isAsking.value = false;
          }}
          act={async (why) => {
            await postJson(`/tasks/${task.id}/cancel`, {}, why);
            say(`Task ${shortId(task.id)} is canceled.`);
            reload();
          }}
        >
          <p>Its skill is stopped, and the task cannot continue afterwards.</p>
          <p class="mono small">{task.id}</p>
        </Confirm>
      ) : null}
    </>
  );
}

interface Parts {
  readonly tree: Loading<TaskTree>;
  readonly webhooks: Loading<TaskWebhooks>;
}

function Views({ id, tree, webhooks }: Parts & { readonly id: string }): JSX.Element {
  const { base } = useContext(Source);
  const current = segments.value[2] ?? '';
  const counts: Partial<Record<string, number>> = {
    tree: (tree.state.value.data?.total ?? 1) - 1,
    webhooks: webhooks.state.value.data?.webhooks.length ?? 0,
  };
  const tabs = TABS.map(([path, name]) => {
    const href = hrefOf(`${base}/${id}${path === '' ? '' : `/${path}`}`, { of: route.value.query.of });
    return { name, href, isCurrent: path === current, count: counts[path] ?? 0 };
  });
  return <Tabs label="Views of the task" tabs={tabs} />;
}

function Tab({
  name,
  task,
  tree,
  webhooks,
  version,
}: Parts & { readonly name: string; readonly task: TaskDetails; readonly version: number }): JSX.Element {
  switch (name) {
    case 'conversation':
      return <ConversationTab task={task} version={version} />;
    case 'artifacts':
      return <ArtifactsTab task={task} version={version} />;
    case 'webhooks':
      return <WebhooksTab webhooks={webhooks} />;
    case 'tree':
      return <TreeTab tree={tree} here={task.id} />;
    case 'raw':
      return <RawTab task={task} version={version} />;
    default:
      return <TimelineTab task={task} tree={tree} webhooks={webhooks} version={version} />;
  }
}
