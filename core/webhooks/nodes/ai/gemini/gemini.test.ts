import { expect, it } from 'vitest';
import { aiWorkflow, itemsOf } from '#test/support/webhooks/ai-workflow.ts';
import { scriptedService } from '#test/support/webhooks/scripted-service.ts';

const modelId = { __rl: true, mode: 'list', value: 'models/gemini-2.5-flash' };
const candidate = (...parts: object[]) => ({ content: { role: 'model', parts }, finishReason: 'STOP' });
const MODEL = 'POST /v1beta/models/gemini-2.5-flash:generateContent';
/** A file `data` with the text "clip". */
const file = {
  type: 'n8n-nodes-base.convertToFile',
  version: 1.1,
  parameters: { operation: 'toText', sourceProperty: 'text', options: { fileName: 'a.txt' } },
};
const input = [{ json: { text: 'clip' } }];
const workflow = (version: number, parameters: object, more = {}) =>
  aiWorkflow({
    File: file,
    Ask: { type: 'googleGemini', version, parameters: { modelId, ...parameters } },
    ...more,
  });

/** Google's storage of files: the second look finds a file ready. */
const storage = () => ({
  'POST /upload/v1beta/files': new Response('{}', {
    headers: { 'x-goog-upload-url': 'https://generativelanguage.googleapis.com/upload/1' },
  }),
  'POST /upload/1': { file: { name: 'files/1', state: 'PROCESSING' } },
  'GET /v1beta/files/1': { name: 'files/1', state: 'ACTIVE', uri: 'u1', mimeType: 'video/mp4' },
});

it('asks with tools, and outputs the candidates', async () => {
  let round = 0;
  const answers = [
    { candidates: [candidate({ functionCall: { name: 'Calculator', args: { input: '1+2' } } })] },
    { candidates: [candidate({ text: '3' }, { text: '.' })] },
  ];
  const { run, requests } = await scriptedService({ [MODEL]: () => answers[round++]! });
  const parameters = {
    messages: { values: [{ content: '1 and 2?' }] },
    builtInTools: { googleSearch: true, googleMaps: { latitude: '1', longitude: '2' } },
    options: { systemMessage: 'Add.', temperature: 0, includeMergedResponse: true, thinkingBudget: 0 },
  };
  const calculator = { Calculator: { type: 'toolCalculator', to: ['ai_tool', 'Ask'] as [string, string] } };
  const result = await run(workflow(1.1, parameters, calculator), input);
  expect(itemsOf(result, 'Ask')).toMatchObject([{ finishReason: 'STOP', mergedResponse: '3.' }]);
  expect(requests[0]).toMatchObject({
    headers: { 'x-goog-api-key': 'k' },
    body: {
      contents: [{ role: 'user', parts: [{ text: '1 and 2?' }] }],
      tools: [{ functionDeclarations: [{ name: 'Calculator' }] }, { googleSearch: {} }, { googleMaps: {} }],
      toolConfig: { retrievalConfig: { latLng: { latitude: 1, longitude: 2 } } },
      generationConfig: { temperature: 0, thinkingConfig: { thinkingBudget: 0 } },
      systemInstruction: { parts: [{ text: 'Add.' }] },
    },
  });
  expect(requests[1]!.body).toMatchObject({
    contents: [
      {},
      { role: 'model' },
      { role: 'tool', parts: [{ functionResponse: { name: 'Calculator', response: { result: '3' } } }] },
    ],
  });
});

it('outputs the complete answer', async () => {
  const answer = { candidates: [candidate({ text: 'Hi' })], modelVersion: 'm' };
  const { run, requests } = await scriptedService({ [MODEL]: answer });
  const parameters = { messages: { values: [{ content: 'q' }] }, simplify: false, jsonOutput: true };
  expect(itemsOf(await run(workflow(1, parameters), input), 'Ask')).toEqual([answer]);
  expect(requests[0]!.body).toMatchObject({ generationConfig: { responseMimeType: 'application/json' } });
});

it.each([
  ['image', 'analyze', "What's in this image?"],
  ['audio', 'transcribe', 'Generate a transcript of the speech.'],
  ['document', 'analyze', "What's in this document?"],
])('stores a file of the item, waits for it, and asks: %s %s', async (resource, operation, text) => {
  const { run, requests } = await scriptedService({
    ...storage(),
    [MODEL]: { candidates: [candidate({ text: 'A fox.' })] },
  });
  const result = await run(workflow(1, { resource, operation, inputType: 'binary' }), input);
  expect(itemsOf(result, 'Ask')).toMatchObject([{ content: { parts: [{ text: 'A fox.' }] } }]);
  expect(requests.map(({ method, url }) => `${method} ${url.split('/').slice(1).join('/')}`)).toEqual([
    'POST upload/v1beta/files',
    'POST upload/1',
    'GET v1beta/files/1',
    'POST v1beta/models/gemini-2.5-flash:generateContent',
  ]);
  expect(requests[0]!.headers).toMatchObject({
    'x-goog-upload-header-content-length': '4',
    'x-goog-upload-header-content-type': 'text/plain',
  });
  expect(requests[1]!.body).toBe('clip');
  expect(requests[3]!.body).toMatchObject({
    contents: [{ parts: [{ fileData: { fileUri: 'u1', mimeType: 'video/mp4' } }, { text }] }],
  });
});

it('sends its key to no other server when it reads an address', async () => {
  const { run, requests } = await scriptedService({
    ...storage(),
    'GET /clip.mp4': new Uint8Array([1, 2, 3]),
    [MODEL]: { candidates: [candidate({ text: 'A fox.' })] },
  });
  const parameters = { resource: 'video', operation: 'analyze', videoUrls: 'https://other.org/clip.mp4' };
  expect((await run(workflow(1, parameters), input)).status).toBe('success');
  expect(requests[0]!.url).toBe('other.org/clip.mp4');
  expect(JSON.stringify(requests[0]!.headers)).not.toContain('x-goog');
  expect(requests[1]!.headers).toMatchObject({ 'x-goog-upload-header-content-type': 'video/mp4' });
});

it('says why a file cannot be used', async () => {
  const failed = { file: { name: 'files/1', state: 'FAILED', error: { message: 'no video' } } };
  const { run } = await scriptedService({ ...storage(), 'POST /upload/1': failed });
  const parameters = { resource: 'video', operation: 'analyze', inputType: 'binary' };
  const result = await run(workflow(1, parameters), input);
  expect(result.state.runData.Ask!.at(-1)!.error).toMatchObject({
    message: 'no video',
    description: 'Error uploading file',
  });
});

it.each([
  [
    'gemini-2.5-flash-image',
    'generateContent',
    { candidates: [candidate({ inlineData: { data: 'AQI=' } })] },
  ],
  ['imagen-4', 'predict', { predictions: [{ bytesBase64Encoded: 'AQI=', mimeType: 'image/png' }] }],
])('generates an image with %s', async (name, action, answer) => {
  const { run } = await scriptedService({ [`POST /v1beta/models/${name}:${action}`]: answer });
  const own = { __rl: true, mode: 'list', value: `models/${name}` };
  const result = await run(workflow(1, { resource: 'image', modelId: own, prompt: 'a fox' }), input);
  expect(itemsOf(result, 'Ask')).toMatchObject([{ mimeType: 'image/png', fileName: 'image.png' }]);
});

it('edits an image', async () => {
  const { run, requests } = await scriptedService({
    ...storage(),
    [MODEL]: { candidates: [candidate({ inlineData: { data: 'AQI=', mimeType: 'image/jpeg' } })] },
  });
  const parameters = { resource: 'image', operation: 'edit', prompt: 'blue' };
  const result = await run(workflow(1.1, parameters), input);
  const [item] = result.state.runData.Ask!.at(-1)!.data!.main![0]!;
  expect(Object.keys(item!.binary!)).toEqual(['edited']);
  expect(requests.at(-1)!.body).toMatchObject({
    contents: [{ parts: [{ fileData: { fileUri: 'u1' } }, { text: 'blue' }] }],
    generationConfig: { responseModalities: ['IMAGE'] },
  });
});

it('makes a video, and keeps its key to itself', async () => {
  const sample = (uri: string) => ({
    done: true,
    response: { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } },
  });
  const own = { __rl: true, mode: 'list', value: 'models/veo-3' };
  const parameters = { resource: 'video', modelId: own, prompt: 'a fox' };
  const path = 'POST /v1beta/models/veo-3:predictLongRunning';
  const good = await scriptedService({
    [path]: sample('https://generativelanguage.googleapis.com/v1beta/files/2:download'),
    'GET /v1beta/files/2:download': new Uint8Array([1]),
  });
  expect(itemsOf(await good.run(workflow(1, parameters), input), 'Ask')).toMatchObject([
    { fileName: 'video.mp4', mimeType: 'video/mp4' },
  ]);
  const bad = await scriptedService({ [path]: sample('https://other.org/2') });
  const result = await bad.run(workflow(1, parameters), input);
  expect(result.state.runData.Ask!.at(-1)!.error).toMatchObject({
    message: expect.stringContaining('is no address of a file at'),
  });
  expect(bad.requests).toHaveLength(1);
});

it('lets a local model answer', async () => {
  const lines = '{"message":{"content":"Hi"}}\n{"done":true,"prompt_eval_count":3,"eval_count":2}\n';
  const requests: unknown[] = [];
  const { run } = await scriptedService({}, {}, async (path, init) => {
    requests.push(path, JSON.parse(String(init?.body)));
    return new Response(lines);
  });
  const parameters = {
    useLocalModel: true,
    localModelName: 'smollm2',
    messages: { values: [{ content: 'q' }] },
    options: { systemMessage: 'Be brief.', temperature: 0 },
  };
  expect(itemsOf(await run(workflow(1, parameters), input), 'Ask')).toMatchObject([
    { content: { role: 'model', parts: [{ text: 'Hi' }] } },
  ]);
  expect(requests).toMatchObject([
    '/api/chat',
    {
      model: 'smollm2',
      options: { temperature: 0 },
      messages: [{ role: 'system' }, { role: 'user', content: 'q' }],
    },
  ]);
});
