/** Filters of Dropbox. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';

/** The names of an entry's fields in items. */
const ENTRY: Record<string, string> = {
  id: 'id',
  name: 'name',
  client_modified: 'lastModifiedClient',
  server_modified: 'lastModifiedServer',
  rev: 'rev',
  size: 'contentSize',
  '.tag': 'type',
  content_hash: 'contentHash',
  path_lower: 'pathLower',
  path_display: 'pathDisplay',
  has_explicit_shared_members: 'hasExplicitSharedMembers',
  is_downloadable: 'isDownloadable',
};

export function dropboxEntry(value: unknown): JsonObject {
  const entry = isObject(value) ? value : {};
  const fields = Object.entries(ENTRY).filter(([name]) => entry[name] !== undefined);
  return Object.fromEntries(fields.map(([name, label]) => [label, entry[name]]));
}

/** A found file with its fields at the top. */
export function dropboxMatch(value: unknown): JsonObject {
  const { metadata, match_type: match, ...rest } = isObject(value) ? value : {};
  const tagged = isObject(metadata) ? metadata : {};
  const fields = tagged[String(tagged['.tag'])];
  const kind = isObject(match) && match['.tag'] ? match['.tag'] : match;
  return { ...rest, ...(kind !== undefined && { match_type: kind }), ...(isObject(fields) && fields) };
}
