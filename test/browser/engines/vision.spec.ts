// Images in wllama, in real Chromium: a model with random weights and a projector. Its answers have no meaning.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { MEDIA_MARKER } from '#core/host';
import { pngOf } from '../../support/image-workflows/png.ts';
import { wavFile } from '../../support/local-models/whisper/hearing-host.ts';
import {
  TOKENS_OF_AN_IMAGE,
  tinyEar,
  tinyLanguageModel,
  tinyProjector,
} from '../../support/model-files/tiny-vision.ts';
import { CHAT, fixtureOf } from '../support/fixture-page.ts';
import { fixtureSite, type Site } from '../support/fixture-site.ts';

let site: Site;
let page: Page;
let folder: string;
let fixture: ReturnType<typeof fixtureOf>;
let model: number;

const RED = [...pngOf([255, 0, 0])];
const BLUE = [...pngOf([0, 0, 255])];
const QUESTION = CHAT(`${MEDIA_MARKER}What is this?`);

async function ask(images: number[][], prompt = QUESTION, id = model) {
  return fixture.generate(id, { prompt, images, maxTokens: 1, topLogprobs: 5 });
}

test.beforeAll(async ({ browser }) => {
  folder = await mkdtemp(join(tmpdir(), 'tabd-vision-'));
  const files = {
    model: join(folder, 'model.gguf'),
    projector: join(folder, 'mmproj.gguf'),
    ear: join(folder, 'ear.gguf'),
  };
  await writeFile(files.model, tinyLanguageModel());
  await writeFile(files.projector, tinyProjector());
  await writeFile(files.ear, tinyEar());
  site = await fixtureSite({
    isolated: true,
    files: { '/model.gguf': files.model, '/mmproj.gguf': files.projector, '/ear.gguf': files.ear },
  });
  page = await browser.newPage();
  await page.goto(site.origin);
  fixture = fixtureOf(page);
  const weights = await fixture.call('store', '/model.gguf');
  const projector = await fixture.call('store', '/mmproj.gguf');
  const extraFiles = [{ role: 'projector' as const, ...projector }];
  model = (await fixture.call('load', weights, { contextLength: 512, gpuLayers: 0 }, undefined, extraFiles))
    .id;
});

test.afterAll(async () => {
  await page?.close();
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

test('an image changes the probabilities of tokens, and its tokens count in the prompt', async () => {
  const without = await ask([], CHAT('What is this?'));
  expect(without.error).toBeUndefined();
  const red = await ask([RED]);
  expect(red.error).toBeUndefined();
  expect(red.counts!.promptTokens).toBe(without.counts!.promptTokens + TOKENS_OF_AN_IMAGE);
  const blue = await ask([BLUE]);
  const again = await ask([RED]);
  expect(again.logprobs).toEqual(red.logprobs);
  expect(blue.logprobs).not.toEqual(red.logprobs);
  expect(without.logprobs).not.toEqual(red.logprobs);
});

test('each of several images counts, in order', async () => {
  const two = CHAT(`${MEDIA_MARKER}${MEDIA_MARKER}What is this?`);
  const ordered = await ask([RED, BLUE], two);
  expect(ordered.error).toBeUndefined();
  const oneImage = await ask([RED]);
  expect(ordered.counts!.promptTokens).toBe(oneImage.counts!.promptTokens + TOKENS_OF_AN_IMAGE);
  expect((await ask([BLUE, RED], two)).logprobs).not.toEqual(ordered.logprobs);
});

test('a format that llama.cpp does not read has the effect of the same image as PNG', async () => {
  const webp = await page.evaluate(async (png) => {
    const bitmap = await createImageBitmap(new Blob([new Uint8Array(png)]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d')!.drawImage(bitmap, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 1 });
    return [...new Uint8Array(await blob.arrayBuffer())];
  }, RED);
  expect(String.fromCharCode(...webp.slice(8, 12))).toBe('WEBP');
  const answer = await ask([webp]);
  expect(answer.error).toBeUndefined();
  expect(answer.counts!.promptTokens).toBe((await ask([RED])).counts!.promptTokens);
});

test('a damaged or foreign image file is refused by its position; the model still answers', async () => {
  for (const broken of [[1, 2, 3], RED.slice(0, 60), []]) {
    const two = CHAT(`${MEDIA_MARKER}${MEDIA_MARKER}What is this?`);
    expect((await ask([RED, broken], two)).error).toMatch(/^RequestRefused: image 2 cannot be read/);
  }
  expect((await ask([RED])).error).toBeUndefined();
});

test('audio is refused with the place that takes it, and the next request is answered', async () => {
  const weights = await fixture.call('store', '/model.gguf');
  const ear = { role: 'projector' as const, ...(await fixture.call('store', '/ear.gguf')) };
  const settings = { contextLength: 512, gpuLayers: 0 };
  const { id } = await fixture.call('load', weights, settings, undefined, [ear]);
  for (const loaded of [id, model])
    expect((await ask([[...wavFile(1)]], QUESTION, loaded)).error).toMatch(/^RequestRefused: .*to the ports/);
  expect((await ask([RED], QUESTION, id)).error).toMatch(/takes no images/);
  expect((await ask([], CHAT('What is this?'), id)).error).toBeUndefined();
  expect((await ask([RED])).error).toBeUndefined();
});
