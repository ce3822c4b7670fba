import { expect, it } from 'vitest';
import { answererOfPorts, letAnswer } from './port-owner.ts';

it('knows who answers, where there is a tabd to ask', async () => {
  const asked = (response: () => Response) => answererOfPorts(async () => response());
  expect(await asked(() => Response.json({ by: 'tab', connected: true }))).toEqual({
    by: 'tab',
    connected: true,
  });
  expect(await asked(() => new Response('<!doctype html>'))).toBeUndefined();
  expect(await asked(() => Response.json({}))).toBeUndefined();
  expect(await asked(() => new Response('', { status: 404 }))).toBeUndefined();
});

it('says why a switch was refused', async () => {
  const refusal = Response.json({ error: 'this is for the page of this tabd' }, { status: 403 });
  await expect(letAnswer('tab', async () => refusal)).rejects.toThrow('this is for the page');
});
