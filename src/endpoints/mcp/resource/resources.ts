import { Inject, Injectable } from '@nestjs/common';
import { AgentCards } from '../../../agents/card/agent-cards.js';
import { OperationExecutor } from '../../../operations/executor/operation-executor.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Artifact, Task } from '@parley/protocol/model/task.js';
import { isTerminal } from '@parley/protocol/model/task-state.js';
import { contentsOf, type ResourceContents } from '@parley/protocol/mcp/content-block.js';
import { badParams } from '@parley/protocol/mcp/mcp-fault.js';
import {
  ARTIFACT_TEMPLATES,
  artifactUri,
  CARD_URI,
  DIRECTORY_URI,
  readArtifactUri,
} from '@parley/protocol/mcp/resource-uri.js';
import type { McpRequest } from '../call/mcp-request.js';
import { TaskCalls } from '../call/task-calls.js';
import { ToolList } from '../tool/tool-list.js';
import { ResourceSource } from './resource-source.js';

/** Tasks of one page of the list. */
const PAGE = 20;
/** Characters per answer; a larger artifact is read part by part. */
const MAX_READ = 8 * 1024 * 1024;
/** Cache lifetime of immutable contents, ms. */
const TTL_MS = 300_000;

/** Artifacts and the card as resources (MCP-SRV-7): the caller's own, by ListTasks and GetTask. */
@Injectable()
export class Resources {
  constructor(
    private readonly operations: OperationExecutor,
    private readonly tasks: TaskCalls,
    private readonly cards: AgentCards,
    private readonly tools: ToolList,
    @Inject(ResourceSource) private readonly more: ResourceSource,
  ) {}

  /** `resources/list`: the card, and the artifacts of the caller's tasks, page by page. */
  async list({ params, call }: McpRequest): Promise<object> {
    const { cursor } = params;
    if (cursor !== undefined && typeof cursor !== 'string') throw badParams('"cursor" must be a text');
    const asked = { pageSize: PAGE, includeArtifacts: true, ...(cursor === undefined ? {} : { pageToken: cursor }) };
    const permitted = await this.operations.permit('ListTasks', asked, call);
    const { tasks, nextPageToken } = (await this.operations.run(permitted)).value;
    const first = cursor === undefined ? [CARD, DIRECTORY, ...this.more.resources] : [];
    return {
      resources: [...first, ...tasks.flatMap(listed)],
      ...(nextPageToken === '' ? {} : { nextCursor: nextPageToken }),
      ...{ ttlMs: 0, cacheScope: 'private' },
    };
  }

  /** `resources/templates/list`. */
  templates(): object {
    const [whole, part] = ARTIFACT_TEMPLATES;
    const ours = [
      { name: 'artifact', title: 'Artifact of a task', uriTemplate: whole, description: 'All parts of one artifact' },
      { name: 'artifact-part', title: 'Part of an artifact', uriTemplate: part, description: 'One part, by its index' },
    ];
    return { resourceTemplates: [...ours, ...this.more.templates], ttlMs: TTL_MS, cacheScope: 'public' };
  }

  /** `resources/read`. Unknown and foreign URIs get the same answer. */
  async read(request: McpRequest): Promise<object> {
    const { uri } = request.params;
    if (typeof uri !== 'string') throw badParams('"uri" must be the uri of a resource');
    if (uri === CARD_URI) {
      const text = JSON.stringify(await this.cards.card());
      return { contents: [{ uri, mimeType: 'application/json', text }], ttlMs: TTL_MS, cacheScope: 'public' };
    }
    if (uri === DIRECTORY_URI) return this.directory(request);
    const other = this.more.read(uri);
    if (other !== undefined) return { contents: other, ttlMs: TTL_MS, cacheScope: 'public' };
    return this.readArtifact(uri, request);
  }

  /** The caller's callable skills, each as a tool. */
  private async directory(request: McpRequest): Promise<object> {
    const text = JSON.stringify({ skills: await this.tools.skillsOf(request) });
    const contents = [{ uri: DIRECTORY_URI, mimeType: 'application/json', text }];
    return { contents, ttlMs: TTL_MS, cacheScope: 'private' };
  }

  private async readArtifact(uri: string, request: McpRequest): Promise<object> {
    const name = readArtifactUri(uri);
    const task = name === undefined ? undefined : await this.taskOf(name.taskId, request);
    const artifact = task?.artifacts?.find(({ artifactId }) => artifactId === name?.artifactId);
    const contents = artifact === undefined ? [] : contentsIn(artifact, uri, name?.part);
    if (task === undefined || contents.length === 0) throw badParams('Resource not found', { uri });
    const size = contents.reduce((sum, one) => sum + ('text' in one ? one.text.length : one.blob.length), 0);
    if (size > MAX_READ) throw badParams('The resource is too large for one answer: read its parts', { uri });
    return { contents, ttlMs: isTerminal(task.status.state) ? TTL_MS : 0, cacheScope: 'private' };
  }

  private async taskOf(id: string, request: McpRequest): Promise<Task | undefined> {
    try {
      return await this.tasks.read(id, request);
    } catch (error) {
      if (error instanceof A2AError && error.kind === 'TaskNotFound') return undefined;
      throw error;
    }
  }
}

const CARD: JsonObject = {
  uri: CARD_URI,
  name: 'agent-card',
  title: 'Agent card',
  description: 'What this agent can do, and how to reach it by A2A',
  mimeType: 'application/json',
};

const DIRECTORY: JsonObject = {
  uri: DIRECTORY_URI,
  name: 'directory',
  title: 'Directory of skills',
  description: 'The skills that you may call, with the JSON Schemas of their arguments',
  mimeType: 'application/json',
};

function listed({ id, artifacts = [] }: Task): readonly JsonObject[] {
  return artifacts.map(({ artifactId, name, description, parts }) => {
    const mimeType = parts[0] === undefined ? undefined : contentsOf(parts[0], '').mimeType;
    return {
      uri: artifactUri({ taskId: id, artifactId }),
      name: name ?? artifactId,
      description: description ?? `Artifact of task ${id}`,
      ...(mimeType === undefined ? {} : { mimeType }),
    };
  });
}

function contentsIn({ parts }: Artifact, uri: string, part: number | undefined): readonly ResourceContents[] {
  const wanted = part === undefined ? parts : parts.slice(part, part + 1);
  return wanted.map((one) => contentsOf(one, uri));
}
