import { isObject } from '#core/base';
import type { TabDescription } from './tab-description.ts';

/** The field of each answer that has the list, and the field that names an entry. */
const LISTS: Record<string, { list: string; name: string }> = {
  '/api/tags': { list: 'models', name: 'name' },
  '/v1/models': { list: 'data', name: 'id' },
  '/api/ps': { list: 'models', name: 'name' },
};

/** Bytes. Longer lists of a tab are left out. */
const MAX_LIST = 16 * 1024 * 1024;

export interface TabAnswer {
  /** The name of the tab. */
  tab: string;
  response: Response;
}

/**
 * One answer out of those of several tabs, the home's first: the union of their lists. `/api/ps` keeps equal models of
 * several tabs apart by the field `tab`, and also lists the tabs. Its status and headers are those of the first answer.
 */
export async function mergeLists(
  pathname: string,
  answers: readonly [TabAnswer, ...TabAnswer[]],
  tabs: readonly TabDescription[],
): Promise<Response> {
  const { list, name } = LISTS[pathname]!;
  const isLoadedList = pathname === '/api/ps';
  const merged = new Map<unknown, object>();
  let first: Record<string, unknown> | undefined;
  const engines: string[] = [];
  for (const { tab, response } of answers) {
    const body = await readObject(response);
    const entries = body?.[list];
    if (!body || !Array.isArray(entries)) continue;
    first ??= body;
    for (const entry of entries.filter(isObject)) {
      const key = isLoadedList ? `${entry[name]} ${tab}` : entry[name];
      if (!merged.has(key)) merged.set(key, isLoadedList ? { ...entry, tab } : entry);
    }
    const own = response.headers.get('x-tabd-engines');
    if (own) engines.push(own);
  }
  const headers = new Headers(answers[0].response.headers);
  headers.delete('content-length');
  if (engines.length > 0) headers.set('x-tabd-engines', engines.join(', '));
  const body = { ...first, [list]: [...merged.values()], ...(isLoadedList && { tabs }) };
  return new Response(JSON.stringify(body), { headers });
}

/** A tab that answers something else must not spoil the answer of the others. */
async function readObject(response: Response): Promise<Record<string, unknown> | undefined> {
  try {
    const text = await readText(response);
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_LIST) throw new RangeError('the list is too long');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
