/** Criteria of a search, in the notation of n8n's node. */
import type { SearchObject } from 'imapflow';

/** Criteria without a value, and what they mean for the package. */
const FLAGS: Record<string, SearchObject> = {
  ALL: { all: true },
  ANSWERED: { answered: true },
  UNANSWERED: { answered: false },
  DELETED: { deleted: true },
  UNDELETED: { deleted: false },
  DRAFT: { draft: true },
  UNDRAFT: { draft: false },
  FLAGGED: { flagged: true },
  UNFLAGGED: { flagged: false },
  SEEN: { seen: true },
  UNSEEN: { seen: false },
  NEW: { new: true },
  OLD: { old: true },
  RECENT: { recent: true },
};

/** Criteria with a value, by the names of the package. */
const VALUES: Record<string, string> = {
  BCC: 'bcc',
  BEFORE: 'before',
  BODY: 'body',
  CC: 'cc',
  FROM: 'from',
  KEYWORD: 'keyword',
  LARGER: 'larger',
  ON: 'on',
  SENTBEFORE: 'sentBefore',
  SENTON: 'sentOn',
  SENTSINCE: 'sentSince',
  SINCE: 'since',
  SMALLER: 'smaller',
  SUBJECT: 'subject',
  TEXT: 'text',
  TO: 'to',
  UID: 'uid',
  UNKEYWORD: 'unKeyword',
};

/**
 * @param criteria all of which a mail meets: `"UNSEEN"`, `["FROM", "a@b.c"]`, `["HEADER", "name", "value"]`,
 *   `["OR", first, second]`; `!` before a name means its opposite
 * @throws Error for an unknown criterion
 */
export function searchObject(criteria: unknown[]): SearchObject {
  return Object.assign({}, ...criteria.map(criterion)) as SearchObject;
}

function criterion(value: unknown): SearchObject {
  const [head, ...rest] = Array.isArray(value) ? (value as unknown[]) : [value];
  const name = String(head).toUpperCase();
  if (name.startsWith('!')) return { not: criterion([name.slice(1), ...rest]) };
  if (name === 'OR') return { or: [criterion(rest[0]), criterion(rest[1])] };
  if (name === 'HEADER') return { header: { [String(rest[0])]: String(rest[1] ?? '') } };
  if (Object.hasOwn(FLAGS, name)) return FLAGS[name]!;
  if (Object.hasOwn(VALUES, name)) return { [VALUES[name]!]: rest[0] } as SearchObject;
  throw new Error(`The search criterion "${String(head)}" is not known`);
}
