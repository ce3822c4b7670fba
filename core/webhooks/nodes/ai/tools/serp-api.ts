/** Searches Google for agents, by SerpApi. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { objectList } from '../../shared/object-list.ts';
import { subNode } from '../describe.ts';
import { readJson, requestModel } from '../wire/model-request.ts';
import { networkServer } from '../wire/network-server.ts';
import { makeTool, runAsTool } from './make-tool.ts';

const ADDRESS = 'https://serpapi.com';
const NOTHING = 'No good search result found';
/** The words of LangChain's tool, which models know. */
const DESCRIPTION =
  'a search engine. useful for when you need to answer questions about current events. input should be a search query.';

export const serpApi: NodeType = subNode('toolSerpApi', {
  description: 'Lets an agent search Google by SerpApi.',
  supplies: 'ai_tool',
  credentials: [{ type: 'serpApi', required: true }],
  supply: async (context, itemIndex) =>
    makeTool(context, { description: DESCRIPTION, name: 'search' }, (query) =>
      search(context, String(query), itemIndex),
    ),
  execute: (context) =>
    runAsTool(context, { takesObject: false }, (query, index) => search(context, String(query), index)),
});

async function search(context: NodeContext, query: string, index: number): Promise<string> {
  const { apiKey } = await context.credential('serpApi');
  const options = (await context.parameter<JsonObject>('options', index, {})) ?? {};
  const fields = Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]);
  const parameters = new URLSearchParams([
    ...fields,
    ['engine', 'google'],
    ['api_key', String(apiKey ?? '')],
    ['q', query],
  ]);
  const server = networkServer(context, { baseUrl: ADDRESS, headers: {}, errors: 'plain' });
  const request = { path: `/search?${parameters}`, method: 'GET' } as const;
  const answer = await requestModel(context, server, request, readJson);
  if (answer.error) throw new NodeError(`Got error from serpAPI: ${String(answer.error)}`);
  return bestAnswer(answer);
}

/** Parts of an answer that are shown as they are, the most exact first. */
const LISTS = [
  'events_results',
  'sports_results',
  'top_stories',
  'news_results',
  'jobs_results',
  'shopping_results',
  'questions_and_answers',
];

/** The most exact part of the answer: a box, a list, or texts of pages. */
function bestAnswer(answer: JsonObject): string {
  const box = objectList(answer.answer_box_list)[0] ?? answer.answer_box;
  if (isObject(box)) return boxText(box);
  const list = LISTS.map((name) => answer[name]).find((part) => part !== undefined);
  if (list !== undefined) return JSON.stringify(list);
  const organic = objectList(answer.organic_results).flatMap(
    ({ snippet, snippet_highlighted_words, title, link }) =>
      snippet
        ? [snippet]
        : snippet_highlighted_words
          ? [snippet_highlighted_words]
          : title
            ? [{ title, link }]
            : [],
  );
  const { knowledge_graph: graph, local_results: local } = answer;
  const texts = [
    ...(isObject(graph) ? graphTexts(graph) : []),
    ...organic,
    ...(local === undefined ? [] : [local]),
  ];
  return texts.length > 0 ? JSON.stringify(texts) : NOTHING;
}

function boxText(box: JsonObject): string {
  const { result, answer, snippet, snippet_highlighted_words: words } = box;
  const text = result ?? answer ?? snippet ?? words;
  if (text !== undefined) return String(text);
  return JSON.stringify(Object.fromEntries(Object.entries(box).filter(isShortFact)));
}

function graphTexts(graph: JsonObject): string[] {
  const { title, description } = graph;
  const facts = Object.entries(graph).filter(
    ([name, value]) =>
      isShortFact([name, value]) && !['title', 'description'].includes(name) && !/_(stick|link)$/.test(name),
  );
  return [
    ...(description === undefined ? [] : [String(description)]),
    ...facts.map(([name, value]) => `${String(title ?? '')} ${name}: ${String(value)}.`),
  ];
}

const isShortFact = ([, value]: [string, unknown]) =>
  typeof value !== 'object' && !String(value).startsWith('http');
