import { beforeAll, describe, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import {
  writeFluxTransformer,
  writeSd3Transformer,
  writeT5,
  writeTextEncoder,
} from '#test/support/model-files/tiny-parts.ts';
import { full, zeros } from '../../values/tensor.ts';
import { loadCheckpoint } from './load-checkpoint.ts';
import { loadNetwork } from './standalone-parts.ts';

const host = await weightsHost('here');
const never = new AbortController().signal;

/** Real graphs in onnxruntime. */
beforeAll(async () => {
  const { files } = host;
  await writeSd3Transformer(files, 'models/diffusion_models/sd3');
  await writeFluxTransformer(files, 'models/diffusion_models/flux');
});

describe('flow transformers', () => {
  const options = { pooled: full([1, 8], 4), guidance: 2 };
  const entry = (value: number, tokens = 3) => ({ tensor: full([1, tokens, 4], value), options });
  test('Stable Diffusion 3 takes odd sides and prompts of several lengths', {
    timeout: 120_000,
  }, async () => {
    const { network, sampling, latent } = await loadNetwork(host, 'sd3');
    expect([sampling.isFlow, sampling.timestepOf(0.5), latent.channels]).toEqual([true, 500, 16]);
    const x = full([2, 16, 3, 2], 1);
    const outputs = await network.predict(x, 100, [entry(3), entry(5, 7), entry(6)], never);
    expect(outputs.map(({ shape }) => shape)).toEqual(new Array(3).fill([2, 16, 3, 2]));
    expect(outputs.map(({ data }) => [data[0], data.at(-1)])).toEqual([
      [108, 108],
      [110, 110],
      [111, 111],
    ]);
  });
  test('Flux takes the positions of tokens', { timeout: 120_000 }, async () => {
    const { network, sampling, latent } = await loadNetwork(host, 'flux');
    expect([sampling.timestepOf(0.5), latent.channels, latent.scaleFactor]).toEqual([0.5, 16, 0.3611]);
    const x = zeros([1, 16, 4, 6]);
    for (let i = 0; i < x.data.length; i++) x.data[i] = i;
    const [output] = await network.predict(x, 0.5, [entry(3)], never);
    // The test network adds row and column of the token, the means of the embeddings, guidance and time.
    for (let i = 0; i < x.data.length; i++) {
      const [row, column] = [Math.floor((Math.floor(i / 6) % 4) / 2), Math.floor((i % 6) / 2)];
      expect(output!.data[i]).toBeCloseTo(i + row + column + 3 + 4 + 2 + 0.5, 3);
    }
  });
});

test('loads the checkpoints of flow models in the layouts of their pipelines', {
  timeout: 120_000,
}, async () => {
  const { files } = host;
  const write = async (name: string, pipeline: string, encoders: readonly ('clip' | 't5')[]) => {
    const folder = `models/checkpoints/${name}`;
    await files.write(
      `${folder}/model_index.json`,
      new TextEncoder().encode(JSON.stringify({ _class_name: pipeline })),
    );
    for (const [index, kind] of encoders.entries()) {
      const suffix = index === 0 ? '' : `_${index + 1}`;
      if (kind === 't5') await writeT5(files, `${folder}/text_encoder${suffix}`, 12);
      else await writeTextEncoder(files, `${folder}/text_encoder${suffix}`);
      for (const file of ['vocab.json', 'merges.txt', 'tokenizer.json']) {
        const from = `${folder}/text_encoder${suffix}/${file}`;
        if (await files.stat(from)) await files.move(from, `${folder}/tokenizer${suffix}/${file}`);
      }
    }
    return folder;
  };
  await writeFluxTransformer(files, `${await write('flux', 'FluxPipeline', ['clip', 't5'])}/transformer`);
  const flux = await loadCheckpoint(host, 'flux');
  expect((await flux.clip.encode('cat', never)).tensor.shape).toEqual([1, 256, 12]);
  expect(flux.model.sampling).toMatchObject({ isFlow: true, sigmaMax: 1 });
  const folder = await write('sd3', 'StableDiffusion3Pipeline', ['clip', 'clip']);
  await writeSd3Transformer(files, `${folder}/transformer`);
  await files.write(
    `${folder}/transformer/config.json`,
    new TextEncoder().encode('{"joint_attention_dim": 10}'),
  );
  const sd3 = await loadCheckpoint(host, 'sd3');
  const { tensor: encoded, pooled } = await sd3.clip.encode('cat', never);
  // Without T5, CLIP's embeddings are padded to the width of the transformer.
  expect([encoded.shape, pooled!.shape]).toEqual([
    [1, 77, 10],
    [1, 8],
  ]);
});
