import { Injectable } from '@nestjs/common';
import { Json } from '../protocol/json.js';
import type { ListTasksRequest, ListTasksResponse } from '../protocol/operations.js';
import { readTimestamp } from '../protocol/timestamp.js';
import { type TaskFilter, TaskIndex } from '../task/task-index.js';
import type { Call } from './call.js';
import type { Operation } from './operation.js';
import { pageToken, placeOf } from './page-token.js';

const PAGE_SIZE = 50;

/** ListTasks (A2A 1.0 §3.1.4): the caller's tasks, youngest status first. */
@Injectable()
export class ListTasksOperation implements Operation<'ListTasks'> {
  constructor(private readonly index: TaskIndex) {}

  async execute(request: ListTasksRequest, call: Call): Promise<Json<ListTasksResponse>> {
    const { pageSize = PAGE_SIZE } = request;
    const filter = filterOf(request);
    const madeFor = [call.owner, filter];
    const after = placeOf(request.pageToken, madeFor);
    const { historyLength, includeArtifacts: artifacts = false } = request;
    // One task more than the page: shows whether another page follows.
    const part = { after, limit: pageSize + 1, shown: { historyLength, artifacts } };
    const { tasks, total } = await this.index.list(call.owner, filter, part);
    const page = tasks.slice(0, pageSize);
    const last = page.at(-1);
    const next = tasks.length > pageSize && last !== undefined ? pageToken(last.place, madeFor) : '';
    // An expired task may still be in the index.
    const listed = page.flatMap(({ task }) => (task === '' ? [] : task)).join(',');
    return Json.ofText(
      `{"tasks":[${listed}],"nextPageToken":"${next}","pageSize":${String(pageSize)},"totalSize":${String(total)}}`,
    );
  }
}

function filterOf({ contextId, status, statusTimestampAfter }: ListTasksRequest): TaskFilter {
  return {
    contextId: contextId === '' ? undefined : contextId,
    state: status,
    since: statusTimestampAfter === undefined ? undefined : sinceOf(statusTimestampAfter),
  };
}

/** The index has its times in 13 digits: all that is later, from the year 2286 on, is as far away. */
function sinceOf(timestamp: string): number | undefined {
  const ms = readTimestamp(timestamp);
  return ms === undefined ? undefined : Math.min(Math.max(ms, 0), 9_999_999_999_999);
}
