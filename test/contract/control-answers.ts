/**
 * Compares answers of the control API: every recorded field has to exist with the same meaning. Further fields are
 * allowed.
 */
import { isObject } from '#core/base';

/**
 * Fields that differ on every server and in every run: only their type is compared. The recorded server counted
 * triggers some time after its answer.
 */
const VARYING =
  /^(id|versionId|activeVersionId|workflowId|executionId|createdAt|updatedAt|startedAt|stoppedAt|startTime|executionTime|workflowVersionId|triggerCount|nextCursor|workflowName|bytes)$/;

/** Fields of a call that differ by the transport to the server. */
const OF_CONNECTIONS = /^(connection|content-length|host)$/;

/** Recorded fields that tabd lacks, with the reason. */
const LEFT_OUT: Record<string, string> = {
  shared: 'there are no other people and no projects',
  parentFolder: 'tabd has no folders',
  authors: 'tabd has a single user',
  workflowPublishHistory: 'earlier versions are not stored',
  deletedAt: 'deleted workflows are not stored',
  storedAt: 'the place of a run in the database of n8n',
  tracingContext: 'tracing between the parts of n8n',
  deduplicationKey: 'prevents several servers from running the same execution',
  jsonSizeBytes: 'the size of a run in the database of n8n',
  binaryDataSizeBytes: 'the size of a run in the database of n8n',
  usedPrivateCredentials: 'tabd has a single user',
  executionData: 'the remaining work, which is empty after a run',
  runtimeData: 'how the task runner was started',
  resumeToken: 'the secret of a run is not returned',
  isResolvable: 'there are no external credentials',
  resolvableAllowFallback: 'there are no external credentials',
  resolverId: 'there are no external credentials',
  contentTypeNotice: 'a text of the form without a value',
  flattedRunData: 'messages contain the output of a node as JSON',
  sequenceNumber: 'a stream keeps the order of messages',
  itemCountByConnectionType: 'messages contain the items',
};

/** The first difference with its path. Undefined if there is none. */
export function covers(
  recorded: unknown,
  actual: unknown,
  options: { onlyShape?: boolean } = {},
  place = '',
): string | undefined {
  const key = place.replace(/^.*\./, '');
  if (
    key === 'hint' &&
    typeof recorded === 'string' &&
    typeof actual === 'string' &&
    recorded.startsWith('[')
  ) {
    return covers(JSON.parse(recorded), JSON.parse(actual), options, `${place}()`);
  }
  // The order of the workflows is random, so the first one may be live or not.
  if (options.onlyShape && (key === 'nodes' || (actual === null && /^activeVersion/.test(key))))
    return undefined;
  if (Array.isArray(recorded)) {
    if (!Array.isArray(actual)) return `${place}: ${cut(actual)} instead of a list`;
    if (!options.onlyShape && actual.length !== recorded.length)
      return `${place}: ${actual.length} entries instead of ${recorded.length}`;
    return first(recorded.keys(), (index) =>
      options.onlyShape && index >= actual.length
        ? undefined
        : covers(recorded[index], actual[index], options, `${place}[${index}]`),
    );
  }
  if (isObject(recorded)) {
    if (!isObject(actual)) return `${place}: ${cut(actual)} instead of an object`;
    return first(Object.keys(recorded), (name) => {
      if (key === 'headers' && OF_CONNECTIONS.test(name)) return undefined;
      if (name in actual) return covers(recorded[name], actual[name], options, `${place}.${name}`);
      return name in LEFT_OUT ? undefined : `${place}.${name} is missing`;
    });
  }
  const loose = options.onlyShape || VARYING.test(key);
  const same = loose ? kind(recorded) === kind(actual) : steady(recorded) === steady(actual);
  return same ? undefined : `${place}: ${cut(actual)} instead of ${cut(recorded)}`;
}

function first<T>(all: Iterable<T>, check: (event: T) => string | undefined): string | undefined {
  for (const event of all) {
    const found = check(event);
    if (found) return found;
  }
  return undefined;
}

const kind = (value: unknown) => (value === null ? 'null' : typeof value);

const steady = (value: unknown) =>
  typeof value === 'string' ? value.replace(/(127\.0\.0\.1|localhost):\d+/g, '<address>') : value;

function cut(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
