/** Compares answers of the control API: every recorded field has to be there and mean the same; more may be there. */
import { isObject } from '#core/base';

/** Other on every server and in every run: only its type counts. Triggers were counted a while after an answer. */
const VARYING =
  /^(id|versionId|activeVersionId|workflowId|executionId|createdAt|updatedAt|startedAt|stoppedAt|startTime|executionTime|workflowVersionId|triggerCount|nextCursor|workflowName|bytes)$/;

/** Of a call: other on every way to a server. */
const OF_CONNECTIONS = /^(connection|content-length|host)$/;

/** Recorded fields that are not here, and why. */
const LEFT_OUT: Record<string, string> = {
  shared: 'there are no other people and no projects',
  parentFolder: 'there are no folders',
  authors: 'there are no other people',
  workflowPublishHistory: 'former versions are not kept',
  deletedAt: 'what is deleted is gone',
  storedAt: 'where its database keeps a run',
  tracingContext: 'how its parts trace a run',
  deduplicationKey: 'how it keeps several servers from one run',
  jsonSizeBytes: 'how large a run lies in its database',
  binaryDataSizeBytes: 'how large a run lies in its database',
  usedPrivateCredentials: 'there are no other people',
  executionData: 'what is still to do: of a run that is over, nothing',
  runtimeData: 'how its runner was started',
  resumeToken: 'the secret of a run is not told',
  isResolvable: 'credentials come from nowhere else',
  resolvableAllowFallback: 'credentials come from nowhere else',
  resolverId: 'credentials come from nowhere else',
  contentTypeNotice: 'a text that its form shows, which has no value',
  flattedRunData: 'messages tell what a node gave as JSON',
  sequenceNumber: 'messages come in their order on one stream',
  itemCountByConnectionType: 'messages hold the items',
};

/** What differs first, with its place; undefined when all is there. */
export function covers(
  recorded: unknown,
  given: unknown,
  options: { onlyShape?: boolean } = {},
  place = '',
): string | undefined {
  const key = place.replace(/^.*\./, '');
  if (
    key === 'hint' &&
    typeof recorded === 'string' &&
    typeof given === 'string' &&
    recorded.startsWith('[')
  ) {
    return covers(JSON.parse(recorded), JSON.parse(given), options, `${place}()`);
  }
  // Which of the workflows comes first is by chance: one that is live or one that is not.
  if (options.onlyShape && (key === 'nodes' || (given === null && /^activeVersion/.test(key))))
    return undefined;
  if (Array.isArray(recorded)) {
    if (!Array.isArray(given)) return `${place}: ${cut(given)} instead of a list`;
    if (!options.onlyShape && given.length !== recorded.length)
      return `${place}: ${given.length} entries instead of ${recorded.length}`;
    return first(recorded.keys(), (index) =>
      options.onlyShape && index >= given.length
        ? undefined
        : covers(recorded[index], given[index], options, `${place}[${index}]`),
    );
  }
  if (isObject(recorded)) {
    if (!isObject(given)) return `${place}: ${cut(given)} instead of an object`;
    return first(Object.keys(recorded), (name) => {
      if (key === 'headers' && OF_CONNECTIONS.test(name)) return undefined;
      if (name in given) return covers(recorded[name], given[name], options, `${place}.${name}`);
      return name in LEFT_OUT ? undefined : `${place}.${name} is missing`;
    });
  }
  const loose = options.onlyShape || VARYING.test(key);
  const same = loose ? kind(recorded) === kind(given) : steady(recorded) === steady(given);
  return same ? undefined : `${place}: ${cut(given)} instead of ${cut(recorded)}`;
}

function first<T>(all: Iterable<T>, check: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const found = check(one);
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
