import { expect, it } from 'vitest';
import { CallKinds } from './call-kinds.ts';

const call = (path: string, method = 'POST') => ({ method, url: `http://localhost:5678${path}?x=1` });

it('asks a worker once for each call, until the answer is old', async () => {
  const questions: string[] = [];
  let time = 0;
  const peers = {
    async fetch(process: string, { request, context }: { request: Request; context: { caller?: string } }) {
      questions.push(`${process} ${context.caller} ${new URL(request.url).search}`);
      return Response.json({ atOnce: request.url.includes('now') });
    },
  };
  const kinds = new CallKinds(peers as never, () => time);
  const answers = [
    await kinds.isAtOnce(call('/webhook/now'), 'w1'),
    await kinds.isAtOnce(call('/webhook/now'), 'w2'),
    await kinds.isAtOnce(call('/webhook/later'), 'w2'),
    await kinds.isAtOnce(call('/webhook/now', 'GET'), 'w2'),
  ];
  expect(answers).toEqual([true, true, false, true]);
  time = 2000;
  await kinds.isAtOnce(call('/webhook/now'), 'w3');
  expect(questions).toEqual([
    'w1 peer ?method=POST&path=%2Fwebhook%2Fnow',
    'w2 peer ?method=POST&path=%2Fwebhook%2Flater',
    'w2 peer ?method=GET&path=%2Fwebhook%2Fnow',
    'w3 peer ?method=POST&path=%2Fwebhook%2Fnow',
  ]);
});

it('lets a call wait for room when no worker answers', async () => {
  const peers = { fetch: async () => Promise.reject(new Error('gone')) };
  expect(await new CallKinds(peers as never).isAtOnce(call('/webhook/a'), 'w1')).toBe(false);
  const refusing = { fetch: async () => new Response('', { status: 500 }) };
  expect(await new CallKinds(refusing as never).isAtOnce(call('/webhook/a'), 'w1')).toBe(false);
});
