import { afterEach, beforeEach, expect, it } from 'vitest';
import { RouteClient } from '#test/support/image-workflows/route-client.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { dictionary, tensor, torchArchive } from '#test/support/model-files/torch-files.ts';
import { autoencoderShapes, weightsFor } from '#test/support/model-files/weight-files.ts';
import { encodeSafetensors } from '../nodes/latent/safetensors.ts';

let client: RouteClient;
beforeEach(() => {
  client = new RouteClient();
});
afterEach(() => client.close());

const lora = encodeSafetensors(
  weightsFor({ 'unet.x.lora_up.weight': [4, 2], 'unet.x.lora_down.weight': [2, 4] }),
  {},
);

/** Asks as a page does: with the ranges that the last answer needs. */
async function kindOf(bytes: Uint8Array<ArrayBuffer>, name: string) {
  const ranges: [number, number][] = [];
  for (let rounds = 1; ; rounds++) {
    const form = new FormData();
    form.append('name', name);
    form.append('size', String(bytes.length));
    form.append('ranges', JSON.stringify(ranges));
    form.append('bytes', new Blob(ranges.map(([start, end]) => bytes.slice(start, end))));
    const response = await client.post('/internal/model_kind', form);
    const answer = (await response.json()) as { need?: [number, number][]; error?: string };
    if (!answer.need) return { status: response.status, rounds, sent: ranges.flat(), ...answer };
    ranges.push(...answer.need);
  }
}

it('finds the kind by the table of tensors, without the weights', async () => {
  const found = await kindOf(lora, 'style.safetensors');
  expect(found).toMatchObject({ kind: 'a LoRA or one of its relatives', folder: 'loras', tensors: 2 });
  expect(Math.max(...found.sent)).toBe(lora.length - 4 * 16);
  const vae = encodeSafetensors(weightsFor(autoencoderShapes(4)), {});
  expect(await kindOf(vae, 'my-vae.safetensors')).toMatchObject({ kind: 'an autoencoder', folder: 'vae' });
});

it('reads files of torch.save', async () => {
  const file = torchArchive(dictionary({ 'lora_unet_x.lora_up.weight': tensor() }));
  expect(await kindOf(new Uint8Array(file), 'style.pt')).toMatchObject({ folder: 'loras' });
});

const ggufOf = (names: readonly string[], architecture: string) =>
  tinyGguf({ architecture, tensors: names.map((name) => ({ name, shape: [32, 32], type: 'F32' })) });

it('finds networks, text encoders and language models in GGUF files', async () => {
  const network = ggufOf(['double_blocks.0.img_attn.qkv.weight', 'single_blocks.0.linear1.weight'], 'flux');
  expect(await kindOf(network, 'flux.gguf')).toMatchObject({ folder: 'diffusion_models' });
  const encoder = ggufOf(['enc.blk.0.attn_q.weight', 'enc.blk.0.ffn_up.weight'], 't5encoder');
  expect(await kindOf(encoder, 't5.gguf')).toMatchObject({ folder: 'text_encoders' });
  const both = ggufOf(['blk.0.attn_q.weight', 'blk.0.ffn_up.weight'], 'qwen3');
  const kind = { kind: 'a text encoder', folders: ['text_encoders'], isLanguageModel: true };
  expect(await kindOf(both, 'qwen.gguf')).toMatchObject(kind);
  const language = await kindOf(ggufOf(['blk.0.attn_q.weight'], 'llama'), 'chat.gguf');
  expect(language).toMatchObject({ status: 200, isLanguageModel: true, tensors: 1 });
  expect(language).not.toHaveProperty('folders');
});

it('offers all folders for a file of an unclear kind', async () => {
  const other = encodeSafetensors(weightsFor({ 'something.weight': [2, 2] }), {});
  const { folders } = (await kindOf(other, 'other.safetensors')) as { folders?: string[] };
  expect(folders).toEqual(expect.arrayContaining(['checkpoints', 'loras', 'vae_approx']));
});

it('refuses damaged files and names that are no models, with the cause', async () => {
  expect(await kindOf(lora.slice(0, -1), 'style.safetensors')).toMatchObject({
    status: 400,
    error: expect.stringMatching(
      /^style\.safetensors cannot be read: its tensor .* lies outside the file\. It may be incomplete/,
    ),
  });
  for (const name of ['notes.txt', '../x.safetensors', 'a/b.safetensors', ''])
    expect(await kindOf(lora, name)).toMatchObject({
      status: 400,
      error: expect.stringContaining('it must end in .safetensors'),
    });
});

const begin = async (file: Record<string, unknown>) => {
  const query = new URLSearchParams(Object.entries(file).map(([key, value]) => [key, String(value)]));
  const response = await client.post(`/internal/model_files?${query}`);
  return { status: response.status, ...((await response.json()) as { id?: string; error?: string }) };
};
const piece = async (id: string, start: number, end: number) => {
  const response = await client.post(
    `/internal/model_files/${id}/piece?start=${start}`,
    lora.slice(start, end),
  );
  return { status: response.status, ...((await response.json()) as { written?: number; error?: string }) };
};
const FILE = { folder: 'loras', name: 'style.safetensors', size: lora.length };

it('stores a file in pieces, which appears among the models when it is complete', async () => {
  const { id } = await begin(FILE);
  expect(await piece(id!, 0, 100)).toEqual({ status: 200, written: 100 });
  // The answer was lost, and the client repeats the piece.
  expect(await piece(id!, 0, 100)).toEqual({ status: 200, written: 100 });
  expect(await piece(id!, 120, 130)).toMatchObject({ status: 409, error: expect.stringContaining('at 100') });
  expect((await client.post(`/internal/model_files/${id}/finish`)).status).toBe(409);
  expect(await client.getJson('/models/loras')).toEqual([]);
  expect(await piece(id!, 100, lora.length)).toEqual({ status: 200, written: lora.length });
  const finished = await client.post(`/internal/model_files/${id}/finish`);
  expect(await finished.json()).toEqual({ path: 'models/loras/style.safetensors' });
  expect(await client.getJson('/models/loras')).toEqual(['style.safetensors']);
  expect(await client.files.read('models/loras/style.safetensors')).toEqual(lora);
});

it('does not replace a file, and begins no file twice at a time', async () => {
  const { id } = await begin(FILE);
  expect(await begin(FILE)).toMatchObject({ status: 409, error: expect.stringContaining('being added') });
  expect((await client.server.ask('DELETE', `/internal/model_files/${id}`)).status).toBe(204);
  await client.files.write('models/loras/style.safetensors', lora);
  expect(await begin(FILE)).toMatchObject({ status: 409, error: expect.stringContaining('rename') });
  expect(await piece(id!, 0, 1)).toMatchObject({ status: 404 });
});

it('refuses other folders', async () => {
  for (const folder of ['custom_nodes', '..', 'configs', ''])
    expect(await begin({ ...FILE, folder })).toMatchObject({
      status: 400,
      error: expect.stringContaining('folder must be one of checkpoints'),
    });
});
