import { expect, it } from 'vitest';
import { readPortOwner, setPortOwner } from './port-owner.ts';

it('reads the owner, and ignores other servers', async () => {
  const ownerFor = (response: () => Response) => readPortOwner(async () => response());
  expect(await ownerFor(() => Response.json({ by: 'tab', connected: true }))).toEqual({
    by: 'tab',
    connected: true,
  });
  expect(await ownerFor(() => new Response('<!doctype html>'))).toBeUndefined();
  expect(await ownerFor(() => Response.json({}))).toBeUndefined();
  expect(await ownerFor(() => new Response('', { status: 404 }))).toBeUndefined();
});

it('reports why a switch was refused', async () => {
  const refusal = Response.json({ error: 'this is for the page of this tabd' }, { status: 403 });
  await expect(setPortOwner('tab', async () => refusal)).rejects.toThrow('this is for the page');
});
