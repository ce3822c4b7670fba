import { beforeEach, expect, it, vi } from 'vitest';
import emojiNetwork from '../../../models/emoji/emoji-128/unet/config.json' with { type: 'json' };
import { suggestedSettings } from './first-model.ts';
import type { ImageClient } from './image-client.ts';
import { ImageState } from './image-state.ts';

const offer = { model: 'emoji-128', bytes: 22e6, licence: 'MIT' };
const pulls = { start: async () => true, cancel() {}, active: [] };
const OWN = { checkpoint: 'emoji-128', width: 128, height: 128, steps: 12, guidance: 1 };
/** Pixels of each side that a latent stands for. */
const SCALE = 8;

let checkpoints: string[];
beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  checkpoints = [];
});

function newState() {
  const client = {
    choices: async (_kind: string, name: string) =>
      name === 'ckpt_name' ? checkpoints : ['euler', 'normal'],
    resolution: async () => [128, 128],
    finished: async () => [],
  };
  return new ImageState(
    client as unknown as ImageClient,
    pulls,
    () => {},
    async () => offer,
  );
}

it('shows the form as the model wants it before the model is there, and after', async () => {
  const state = newState();
  await state.load();
  expect(state.settings).toMatchObject(OWN);
  expect(state.settings.prompt).not.toBe('');
  checkpoints = ['emoji-128'];
  await state.load();
  expect(state.settings).toMatchObject(OWN);
});

it('keeps what was changed before the download, also when the page is opened anew', async () => {
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

it('takes another model where the one of last time is gone', async () => {
  const state = newState();
  await state.load();
  checkpoints = ['sd-turbo'];
  await state.load();
  expect(state.settings).toMatchObject({ checkpoint: 'sd-turbo', steps: 1, width: 128 });
});

it('knows the size that the model of this page was made for', () => {
  expect(suggestedSettings('emoji-128')!.width).toBe(emojiNetwork.sample_size * SCALE);
});
