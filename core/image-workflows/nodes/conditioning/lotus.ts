/** LotusConditioning: Lotus always has the empty prompt, as the text encoder of Stable Diffusion 2 reads it. */
import type { Host } from '#core/host';
import { encoderNames, encodersOfKind } from '../../models/checkpoints/load-encoders.ts';
import { tensorOf } from '../../values/tensor.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

/** The start and the end of a prompt. Later tokens do not change these two, because the encoder looks back only. */
const TOKENS = 2;

async function requireEncoder(names: readonly string[], host: Host) {
  const found = await encodersOfKind(host, names, 'clip-h');
  if (!found)
    throw new Error(
      'Lotus needs the text encoder of Stable Diffusion 2 (OpenCLIP H): put its file into models/text_encoders',
    );
  return found;
}

export const lotusConditioning: AnyNode = node({
  name: 'LotusConditioning',
  category: 'conditioning/lotus',
  module: 'comfy_extras.nodes_lotus',
  modern: true,
  description:
    'The prompt of Lotus, which is always the empty one. It needs the text encoder of Stable Diffusion 2.',
  inputs: {},
  outputs: [output('CONDITIONING', 'conditioning')],
  // Another text encoder may have come.
  fingerprint: async (_, { files }) => (await encoderNames(files)).join('\0'),
  async run(_, { files, host, signal }) {
    const clip = await requireEncoder(await encoderNames(files), host);
    const { tensor } = await clip.encode('', signal);
    const width = tensor.shape.at(-1)!;
    return [[{ tensor: tensorOf([1, TOKENS, width], tensor.data.slice(0, TOKENS * width)), options: {} }]];
  },
});
