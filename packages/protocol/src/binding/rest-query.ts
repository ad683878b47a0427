import type { OperationName } from '../model/operations.js';

/** A parsed query string: repeated keys give arrays. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

type QueryType = 'text' | 'integer' | 'boolean' | 'enum';

const CONFIG_PAGE = { pageSize: 'integer', pageToken: 'text' } as const;

/** The query parameters of each operation beside `tenant`; path variables are not here (A2A 1.0 §11.3, §11.5). */
const PARAMETERS: Readonly<Partial<Record<OperationName, Readonly<Record<string, QueryType>>>>> = {
  GetTask: { historyLength: 'integer' },
  ListTasks: {
    contextId: 'text',
    status: 'enum',
    pageSize: 'integer',
    pageToken: 'text',
    historyLength: 'integer',
    statusTimestampAfter: 'text',
    includeArtifacts: 'boolean',
  },
  ListTaskPushNotificationConfigs: CONFIG_PAGE,
};

/**
 * Query parameters as v1 params, not yet validated (A2A-REST-02). A value that is no integer or boolean stays text, so
 * that validation names the field. Proto names are accepted too (A2A-JSON-01); unknown parameters are ignored
 * (A2A-JSON-04); the last of a repeated parameter counts, since none is a list. An empty one is unset.
 */
export function decodeQuery(operation: OperationName, query: Query): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const [name, type] of Object.entries({ tenant: 'text' as const, ...PARAMETERS[operation] })) {
    const text = last(query[name]) ?? last(query[protoName(name)]);
    if (text !== undefined && text !== '') params[name] = decodeValue(type, text);
  }
  return params;
}

function decodeValue(type: QueryType, text: string): unknown {
  switch (type) {
    case 'integer':
      return /^-?\d{1,10}$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'enum':
      return /^\d{1,3}$/.test(text) ? Number(text) : text;
    case 'text':
      return text;
  }
}

function last(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.at(-1) : value;
}

function protoName(jsonName: string): string {
  return jsonName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
