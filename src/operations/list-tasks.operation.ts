import { Injectable } from '@nestjs/common';
import { Json } from '@parley/protocol/model/json.js';
import type { ListTasksRequest, ListTasksResponse } from '@parley/protocol/model/operations.js';
import { readTimestamp } from '@parley/protocol/model/timestamp.js';
import { type TaskFilter, TaskIndex } from '../tasks/lists/task-index.js';
import type { Call } from './call.js';
import type { Operation } from './operation.js';
import { pageToken, cursorOf } from './page-token.js';

const PAGE_SIZE = 50;
/** A page ends before the task that would exceed this, unless it is the first. */
const PAGE_BYTES = 4 * 1_048_576;

/** ListTasks (A2A 1.0 §3.1.4): the caller's tasks, youngest status first. */
@Injectable()
export class ListTasksOperation implements Operation<'ListTasks'> {
  constructor(private readonly index: TaskIndex) {}

  async execute(request: ListTasksRequest, call: Call): Promise<Json<ListTasksResponse>> {
    const { pageSize = PAGE_SIZE } = request;
    const filter = filterOf(request);
    const madeFor = [call.owner, filter];
    const after = cursorOf(request.pageToken, madeFor);
    // Lists omit messages unless requested (A2A-HIST-01 leaves that to the server): each may have megabytes.
    const { historyLength = 0, includeArtifacts: artifacts = false } = request;
    const part = {
      after,
      limit: pageSize,
      shown: { historyLength, artifacts, created: call.asksCreation, room: call.room },
      mostBytes: PAGE_BYTES,
    };
    const { tasks, total, next: place } = await this.index.list(call.owner, filter, part);
    const next = place === undefined ? '' : pageToken(place, madeFor);
    // An expired task may still have its index entry.
    const listed = tasks.flatMap(({ task }) => (task === '' ? [] : task)).join(',');
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

/** The index has times of 13 digits: everything from the year 2286 on is clamped. */
function sinceOf(timestamp: string): number | undefined {
  const ms = readTimestamp(timestamp);
  return ms === undefined ? undefined : Math.min(Math.max(ms, 0), 9_999_999_999_999);
}
