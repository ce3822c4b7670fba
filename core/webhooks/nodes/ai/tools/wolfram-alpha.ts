/** Asks Wolfram|Alpha for agents. */
import type { NodeContext } from '../../../node-api/node-context.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { subNode } from '../describe.ts';
import { requestModel } from '../wire/model-request.ts';
import { networkServer } from '../wire/network-server.ts';
import { makeTool, runAsTool } from './make-tool.ts';

const ADDRESS = 'https://www.wolframalpha.com';
/** The words of LangChain's tool, which models know. */
const DESCRIPTION =
  'A wrapper around Wolfram Alpha. Useful for when you need to answer questions about Math, Science, Technology, Culture, Society and Everyday Life. Input should be a search query.';

export const wolframAlpha: NodeType = subNode('toolWolframAlpha', {
  description: 'Lets an agent ask Wolfram|Alpha.',
  supplies: 'ai_tool',
  credentials: [{ type: 'wolframAlphaApi', required: true }],
  supply: async (context) =>
    makeTool(context, { description: DESCRIPTION, name: 'wolfram_alpha' }, (query) =>
      ask(context, String(query)),
    ),
  execute: (context) => runAsTool(context, { takesObject: false }, (query) => ask(context, String(query))),
});

async function ask(context: NodeContext, input: string): Promise<string> {
  const { appId } = await context.credential('wolframAlphaApi');
  const parameters = new URLSearchParams({ appid: String(appId ?? ''), input });
  const server = networkServer(context, {
    baseUrl: ADDRESS,
    headers: { accept: 'text/plain' },
    errors: 'plain',
  });
  const request = { path: `/api/v1/llm-api?${parameters}`, method: 'GET' } as const;
  return requestModel(context, server, request, (response) => response.text());
}
