import { expect, it } from 'vitest';
import { aiWorkflow, itemsOf } from '#test/support/webhooks/ai-workflow.ts';
import { scriptedService } from '#test/support/webhooks/scripted-service.ts';

const PNG = { b64_json: btoa('image') };
/** A file `data` with the text "recording". */
const file = {
  type: 'n8n-nodes-base.convertToFile',
  version: 1.1,
  parameters: { operation: 'toText', sourceProperty: 'text', options: { fileName: 'a.wav' } },
};
const input = [{ json: { text: 'recording' } }];
const workflow = (version: number, parameters: object) =>
  aiWorkflow({ File: file, Ask: { type: 'openAi', version, parameters: { ...parameters } } });

it('generates an image as a file', async () => {
  const { run, requests } = await scriptedService({ 'POST /v1/images/generations': { data: [PNG] } });
  const parameters = {
    resource: 'image',
    prompt: 'a fox',
    options: { dalleQuality: 'hd', size: '1792x1024' },
  };
  const result = await run(workflow(1.8, parameters), input);
  expect(requests[0]).toMatchObject({
    url: 'api.openai.com/v1/images/generations',
    headers: { authorization: 'Bearer k' },
    body: {
      prompt: 'a fox',
      model: 'dall-e-3',
      response_format: 'b64_json',
      size: '1792x1024',
      quality: 'hd',
    },
  });
  const [item] = result.state.runData.Ask!.at(-1)!.data!.main![0]!;
  expect(item).toMatchObject({
    json: { mimeType: 'image/png', fileName: 'data' },
    binary: { data: { mimeType: 'image/png' } },
  });
});

it('asks newer models without a format, and by the locator', async () => {
  const { run, requests } = await scriptedService({ 'POST /v1/images/generations': { data: [PNG] } });
  const modelId = { __rl: true, mode: 'list', value: 'gpt-image-1' };
  await run(workflow(2.2, { resource: 'image', modelId, prompt: 'a fox' }), input);
  expect(requests[0]!.body).toEqual({ prompt: 'a fox', model: 'gpt-image-1' });
});

it('answers addresses of images', async () => {
  const { run, requests } = await scriptedService({
    'POST /v1/images/generations': { data: [{ url: 'u' }] },
  });
  const parameters = { resource: 'image', prompt: 'a fox', options: { returnImageUrls: true } };
  expect(itemsOf(await run(workflow(1, parameters), input), 'Ask')).toEqual([{ url: 'u' }]);
  expect(requests[0]!.body).toMatchObject({ response_format: 'url' });
});

it('edits images', async () => {
  const { run, requests } = await scriptedService({ 'POST /v1/images/edits': { data: [PNG] } });
  const parameters = { resource: 'image', operation: 'edit', prompt: 'blue', outputFormat: 'webp' };
  const result = await run(workflow(2.1, parameters), input);
  expect(requests[0]!.body).toEqual({
    'image[]': 'a.wav: recording',
    prompt: 'blue',
    model: 'gpt-image-1',
    n: '1',
    size: '1024x1024',
    output_format: 'webp',
    output_compression: '100',
    quality: 'auto',
  });
  expect(itemsOf(result, 'Ask')).toMatchObject([{ mimeType: 'image/webp' }]);
});

it('asks about images by a completion before version 2', async () => {
  const { run, requests } = await scriptedService({
    'POST /v1/chat/completions': { choices: [{ message: { role: 'assistant', content: 'a fox' } }] },
  });
  const parameters = { resource: 'image', operation: 'analyze', imageUrls: 'http://a/1.png, http://a/2.png' };
  expect(itemsOf(await run(workflow(1.3, parameters), input), 'Ask')).toEqual([{ content: 'a fox' }]);
  expect(requests[0]!.body).toEqual({
    model: 'gpt-4-vision-preview',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: "What's in this image?" },
          { type: 'image_url', image_url: { url: 'http://a/1.png', detail: 'auto' } },
          { type: 'image_url', image_url: { url: 'http://a/2.png', detail: 'auto' } },
        ],
      },
    ],
    max_completion_tokens: 300,
  });
});

it('asks about files by a response since version 2', async () => {
  const output = [{ type: 'message', content: [{ type: 'output_text', text: 'a fox' }] }];
  const { run, requests } = await scriptedService({ 'POST /v1/responses': { output } });
  const modelId = { __rl: true, mode: 'id', value: 'gpt-4o' };
  const parameters = { resource: 'image', operation: 'analyze', inputType: 'base64', modelId };
  expect(itemsOf(await run(workflow(2, parameters), input), 'Ask')).toEqual([output]);
  expect(requests[0]!.body).toMatchObject({
    model: 'gpt-4o',
    input: [
      { content: [{}, { type: 'input_image', image_url: `data:text/plain;base64,${btoa('recording')}` }] },
    ],
  });
});

it('speaks', async () => {
  const { run, requests } = await scriptedService({ 'POST /v1/audio/speech': new Uint8Array([1, 2]) });
  const result = await run(workflow(1.8, { resource: 'audio', input: 'Hello', voice: 'nova' }), input);
  expect(requests[0]!.body).toEqual({
    model: 'tts-1',
    input: 'Hello',
    voice: 'nova',
    response_format: 'mp3',
    speed: 1,
  });
  expect(itemsOf(result, 'Ask')).toMatchObject([{ fileName: 'audio.mp3', mimeType: 'audio/mpeg' }]);
});

it.each([
  ['transcribe', 'transcriptions', { language: 'en', temperature: 0.5 }],
  ['translate', 'translations', {}],
])('hears: %s', async (operation, path, options) => {
  const { run, requests } = await scriptedService({ [`POST /v1/audio/${path}`]: { text: 'Hello' } });
  const result = await run(workflow(1.8, { resource: 'audio', operation, options }), input);
  expect(itemsOf(result, 'Ask')).toEqual([{ text: 'Hello' }]);
  const fields = Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)]));
  expect(requests[0]!.body).toEqual({ model: 'whisper-1', ...fields, file: 'a.wav: recording' });
});

it('stores, lists and deletes files', async () => {
  const { run, requests } = await scriptedService({
    'POST /v1/files': { id: 'f1' },
    'GET /v1/files': { data: [{ id: 'f1' }, { id: 'f2' }] },
    'DELETE /v1/files/f1': { deleted: true },
  });
  const file = { resource: 'file' };
  expect(itemsOf(await run(workflow(2, file), input), 'Ask')).toEqual([{ id: 'f1' }]);
  expect(requests[0]!.body).toEqual({ purpose: 'user_data', file: 'a.wav: recording' });
  const list = { ...file, operation: 'list', options: { purpose: 'vision' } };
  expect(itemsOf(await run(workflow(2, list), input), 'Ask')).toEqual([{ id: 'f1' }, { id: 'f2' }]);
  expect(requests[1]!.url).toBe('api.openai.com/v1/files?purpose=vision');
  const remove = { ...file, operation: 'deleteFile', fileId: { __rl: true, mode: 'id', value: 'f1' } };
  expect(itemsOf(await run(workflow(2, remove), input), 'Ask')).toEqual([{ deleted: true }]);
});

it('says why an upload for fine-tuning fails', async () => {
  const error = { error: { message: 'Expected file to have JSONL format' } };
  const { run } = await scriptedService({ 'POST /v1/files': Response.json(error, { status: 400 }) });
  const result = await run(workflow(1.8, { resource: 'file', options: { purpose: 'fine-tune' } }), input);
  expect(result.state.runData.Ask!.at(-1)!.error).toMatchObject({
    message: 'The file content is not in JSONL format',
  });
});

it('classifies texts', async () => {
  const results = [{ flagged: true, categories: { violence: true } }];
  const { run, requests } = await scriptedService({ 'POST /v1/moderations': { results } });
  const parameters = { operation: 'classify', input: 'text', simplify: true };
  expect(itemsOf(await run(workflow(1.8, parameters), input), 'Ask')).toEqual([{ flagged: true }]);
  expect(requests[0]!.body).toEqual({ model: 'text-moderation-latest', input: 'text' });
});

it('needs a prompt', async () => {
  const { run } = await scriptedService({});
  const result = await run(workflow(1.8, { resource: 'image', prompt: ' ' }), input);
  expect(result.state.runData.Ask!.at(-1)!.error).toMatchObject({
    message: 'A non-empty prompt is required.',
  });
});
