import { expect, it } from 'vitest';
import { aiWorkflow, itemsOf, model } from '#test/support/webhooks/ai-workflow.ts';
import { scriptedService } from '#test/support/webhooks/scripted-service.ts';

const call = (name: string) => ({
  choices: [
    {
      message: {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name, arguments: '{"input":"height of K2"}' } },
        ],
      },
    },
  ],
});
const done = { choices: [{ message: { role: 'assistant', content: '8,611 m' } }] };

/** An agent that calls the tool once. Returns the tool's answer and its request. */
async function useTool(type: string, name: string, answers: Parameters<typeof scriptedService>[0]) {
  let round = 0;
  const service = await scriptedService(
    { ...answers, 'POST /v1/chat/completions': () => (round++ === 0 ? call(name) : done) },
    { apiKey: 'k', appId: 'a' },
  );
  const parameters = type === 'toolSerpApi' ? { options: { hl: 'de' } } : {};
  const workflow = aiWorkflow({
    Agent: { type: 'agent', version: 2, parameters: { promptType: 'define', text: 'q' } },
    Model: model('Agent'),
    Tool: { type, parameters, to: ['ai_tool', 'Agent'] },
  });
  const result = await service.run(workflow);
  expect(itemsOf(result, 'Agent')).toEqual([{ output: '8,611 m' }]);
  const request = service.requests.find(({ method }) => method === 'GET')!;
  const last = service.requests.at(-1)!.body as { messages: { role: string; content: string }[] };
  return { request, answer: last.messages.find(({ role }) => role === 'tool')!.content };
}

it.each([
  [{ answer_box: { answer: '8,611 m' } }, '8,611 m'],
  [{ answer_box: { height: '8,611 m', link: 'https://a.org' } }, '{"height":"8,611 m"}'],
  [{ news_results: [{ title: 'a' }] }, '[{"title":"a"}]'],
  [
    {
      knowledge_graph: { title: 'K2', description: 'A mountain.', elevation: '8,611 m', image: 'http://a' },
      organic_results: [{ snippet: 'K2 is high.' }, { title: 't', link: 'l' }],
    },
    '["A mountain.","K2 elevation: 8,611 m.","K2 is high.",{"title":"t","link":"l"}]',
  ],
  [{}, 'No good search result found'],
])('SerpApi: %j is the answer %s', async (found, expected) => {
  const { request, answer } = await useTool('toolSerpApi', 'search', { 'GET /search': found });
  expect(request.url).toBe('serpapi.com/search?hl=de&engine=google&api_key=k&q=height+of+K2');
  expect(answer).toBe(expected);
});

it('SerpApi: the model reads an error', async () => {
  const { answer } = await useTool('toolSerpApi', 'search', { 'GET /search': { error: 'no credits' } });
  expect(answer).toContain('Got error from serpAPI: no credits');
});

it('Wolfram|Alpha', async () => {
  const { request, answer } = await useTool('toolWolframAlpha', 'wolfram_alpha', {
    'GET /api/v1/llm-api': new Response('8611 meters'),
  });
  expect(request.url).toBe('www.wolframalpha.com/api/v1/llm-api?appid=a&input=height+of+K2');
  expect(answer).toBe('8611 meters');
});
