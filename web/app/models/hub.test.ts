import { expect, it } from 'vitest';
import { HubClient, pullName } from './hub.ts';

const none = new AbortController().signal;

function hub(answers: Record<string, unknown>, settings: Record<string, string> = {}) {
  const requests: { url: string; headers: HeadersInit | undefined }[] = [];
  const client = new HubClient(settings, async (url, init) => {
    requests.push({ url, headers: init.headers });
    const path = Object.keys(answers).find((start) => new URL(url).pathname.startsWith(start));
    return path ? Response.json(answers[path]) : new Response('', { status: 500 });
  });
  return { hub: client, asked: requests };
}

it('searches with the token of the settings', async () => {
  const found = [
    { id: 'u/m-GGUF', downloads: 10, likes: 2, tags: ['gguf', 'license:mit'], gated: false },
    { id: 'u/closed', gated: 'manual' },
    {},
  ];
  const settings = { HF_ENDPOINT: 'https://mirror.example/', HF_TOKEN: 'hf_x' };
  const { hub: asking, asked: requests } = hub({ '/api/models': found }, settings);
  expect(asking.name).toBe('mirror.example');
  expect(requests).toEqual([]);
  expect(await asking.search('qwen coder', none)).toEqual([
    { id: 'u/m-GGUF', downloads: 10, likes: 2, licence: 'mit', gated: false },
    { id: 'u/closed', downloads: 0, likes: 0, gated: true },
  ]);
  expect(requests[0]!.url).toMatch(
    /^https:\/\/mirror\.example\/api\/models\?search=qwen\+coder&filter=gguf&/,
  );
  expect(requests[0]!.headers).toEqual({ authorization: 'Bearer hf_x' });
});

it('lists the files that can run', async () => {
  const siblings = [
    { rfilename: 'README.md', size: 1 },
    { rfilename: 'm-Q8_0.gguf', size: 200 },
    { rfilename: 'm-Q4_K_M.gguf', size: 100 },
    { rfilename: 'm-mmproj-f16.gguf', size: 10 },
    { rfilename: 'big-00001-of-00002.gguf', size: 10 },
    { rfilename: 'Q6_K/m-Q6_K-00001-of-00002.gguf', size: 400 },
    { rfilename: 'Q6_K/m-Q6_K-00002-of-00002.gguf', size: 50 },
    { rfilename: 'plain.gguf', size: 300 },
  ];
  const { hub: asking } = hub({ '/api/models/u/m': { siblings } });
  const files = await asking.files('u/m', none);
  expect(files.map((file) => pullName('u/m', file))).toEqual([
    'hf.co/u/m:Q4_K_M',
    'hf.co/u/m:Q8_0',
    'hf.co/u/m:plain.gguf',
    'hf.co/u/m:Q6_K',
  ]);
  expect(files.at(-1)!.size).toBe(450);
});

it('names the hub that did not answer', async () => {
  await expect(hub({}).hub.search('x', none)).rejects.toThrow('huggingface.co answered 500');
  const offline = new HubClient({}, async () => {
    throw new TypeError('Failed to fetch');
  });
  await expect(offline.search('x', none)).rejects.toThrow('huggingface.co could not be reached');
});
