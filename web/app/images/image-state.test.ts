import { beforeEach, expect, it, vi } from 'vitest';
import { suggestedSettings } from '#core/api-client';
import emojiNetwork from '../../../models/emoji/emoji-128/unet/config.json' with { type: 'json' };
import type { ImageClient } from './image-client.ts';
import { ImageState } from './image-state.ts';

const offer = { model: 'emoji-128', bytes: 22e6, licence: 'MIT' };
const pulls = { start: async () => true, cancel() {}, active: [] };
const OWN = { checkpoint: 'emoji-128', width: 128, height: 128, steps: 12, guidance: 1 };
/** Pixels per latent, in each direction. */
const SCALE = 8;

let checkpoints: string[];
let resolution: [number, number] | undefined;
beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  checkpoints = [];
  resolution = [128, 128];
});

function newState() {
  const client = {
    choices: async (_kind: string, name: string) =>
      name === 'ckpt_name' ? checkpoints : ['euler', 'normal'],
    resolution: async () => resolution,
    finished: async () => [],
  };
  return new ImageState(
    client as unknown as ImageClient,
    pulls,
    () => {},
    async () => offer,
  );
}

it('sets the form up for the offered model before and after its download', async () => {
  const state = newState();
  await state.load();
  expect(state.settings).toMatchObject(OWN);
  expect(state.settings.prompt).not.toBe('');
  checkpoints = ['emoji-128'];
  await state.load();
  expect(state.settings).toMatchObject(OWN);
});

it('keeps changes made before the download, also after a reload', async () => {
  const state = newState();
  await state.load();
  state.change({ steps: 4, prompt: 'a cat' });
  checkpoints = ['emoji-128'];
  await state.load();
  expect(state.settings).toMatchObject({ ...OWN, steps: 4, prompt: 'a cat' });
  const again = newState();
  await again.load();
  expect(again.settings).toMatchObject({ ...OWN, steps: 4, prompt: 'a cat' });
});

it('selects another checkpoint when the last one is missing', async () => {
  const state = newState();
  await state.load();
  checkpoints = ['sd-turbo'];
  await state.load();
  expect(state.settings).toMatchObject({ checkpoint: 'sd-turbo', steps: 1, width: 128 });
});

it('looks again for the size of a model whose files were not complete', async () => {
  checkpoints = ['other'];
  resolution = undefined;
  const state = newState();
  await state.load();
  expect(state.settings).toMatchObject({ checkpoint: 'other', width: 512 });
  resolution = [128, 128];
  const again = newState();
  await again.load();
  expect(again.settings).toMatchObject({ checkpoint: 'other', width: 128, height: 128 });
});

it('suggests the size for which the offered model was trained', () => {
  expect(suggestedSettings('emoji-128')!.width).toBe(emojiNetwork.sample_size * SCALE);
});
