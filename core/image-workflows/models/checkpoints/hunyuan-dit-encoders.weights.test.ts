/** The text encoders in a checkpoint of HunyuanDiT, compared with transformers (test/diffusers/scripts/language_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { largestDifference } from '#test/support/model-files/exported-numbers.ts';
import { tinySentencePieces } from '#test/support/model-files/tiny-parts.ts';
import { renameWeights, t5Shapes, weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { openBundledEncoders } from './open-encoder.ts';

const never = new AbortController().signal;
const host = await weightsHost();
const USES = ['hunyuan-dit-bert', 'hunyuan-dit-mt5'];

test('BERT and mT5 encode a prompt with 77 and 256 tokens, of which pad tokens do not count', {
  timeout: 120_000,
}, async () => {
  const { weights, answers } = await answeredWeights('hunyuan_bert');
  const vocabulary = ['[PAD]', '[CLS]', '[SEP]', '[UNK]', 'a', 'cat'];
  const write = (path: string, text: string) => host.files.write(path, new TextEncoder().encode(text));
  await write('models/tokenizers/hunyuan-bert/vocab.txt', vocabulary.join('\n'));
  await write('models/tokenizers/mt5/tokenizer.json', JSON.stringify(tinySentencePieces));
  const mt5 = weightsFor(t5Shapes({ layers: 2, width: 16 }));
  const path = 'models/checkpoints/hunyuan-dit.safetensors';
  await writeWeights(host.files, path, {
    ...renameWeights(weights, (name) => `text_encoders.hydit_clip.transformer.${name}`),
    ...renameWeights(mt5, (name) => `text_encoders.mt5xl.transformer.${name}`),
  });
  const graphs = new WeightFileGraphs(host, await readWeightFile(host.files, path));
  const clip = await openBundledEncoders(graphs, USES, 'hunyuan_dit');
  const { tensor, attentionMask, secondText } = await clip.encode('a cat', never);
  expect([tensor.shape, secondText!.tensor.shape]).toEqual([
    [1, 77, 128],
    [1, 256, 16],
  ]);
  const ones = (mask: ArrayLike<number>) => Array.from(mask).indexOf(0);
  expect([ones(attentionMask!.data), ones(secondText!.attentionMask!.data)]).toEqual([4, 3]);
  const { shape, data } = answers.states!;
  const first = { shape, data: tensor.data.subarray(0, data.length) };
  expect(largestDifference(first, { shape, data })).toBeLessThan(1e-5);
  // The network has places for as many tokens.
  const long = await clip.encode({ hydit_clip: 'cat '.repeat(200), mt5xl: 'cat '.repeat(400) }, never);
  expect([long.tensor.shape[1], long.secondText!.tensor.shape[1]]).toEqual([77, 256]);
});
