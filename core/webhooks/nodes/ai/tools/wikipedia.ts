/** Looks up Wikipedia for agents. */
import { isObject } from '#core/base';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { subNode } from '../describe.ts';
import { makeTool, runAsTool } from './make-tool.ts';

const ADDRESS = 'https://en.wikipedia.org/w/api.php';
const PAGES = 3;
/** Characters of the answer. */
const MAX_LENGTH = 4000;

export const wikipedia: NodeType = subNode('toolWikipedia', {
  description: 'Lets an agent look up Wikipedia.',
  supplies: 'ai_tool',
  supply: async (context) => {
    const description = 'A tool for interacting with and fetching data from the Wikipedia API.';
    return makeTool(context, { description, name: 'wikipedia-api' }, (query) =>
      lookUp(context, String(query)),
    );
  },
  execute: (context) => runAsTool(context, { takesObject: false }, (query) => lookUp(context, String(query))),
});

/** The beginnings of the pages that fit best. */
async function lookUp(context: NodeContext, query: string): Promise<string> {
  const search = new URLSearchParams({
    action: 'query',
    format: 'json',
    origin: '*',
    generator: 'search',
    gsrsearch: query,
    gsrlimit: String(PAGES),
    prop: 'extracts',
    exintro: '1',
    explaintext: '1',
    exlimit: String(PAGES),
  });
  const response = await context.network.fetch(`${ADDRESS}?${search}`, { signal: context.signal });
  if (!response.ok) throw new NodeError(`Wikipedia answered with status ${response.status}`);
  const answer: unknown = JSON.parse(await response.text());
  const found = isObject(answer) && isObject(answer.query) ? answer.query.pages : undefined;
  const pages = isObject(found) ? Object.values(found).filter(isObject) : [];
  const texts = pages
    .sort((a, b) => Number(a.index) - Number(b.index))
    .map(({ title, extract }) => `Page: ${String(title)}\nSummary: ${String(extract ?? '')}`);
  return texts.length === 0
    ? 'No good Wikipedia Search Result was found'
    : texts.join('\n\n').slice(0, MAX_LENGTH);
}
