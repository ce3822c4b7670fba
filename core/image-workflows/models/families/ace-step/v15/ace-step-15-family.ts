/** ACE-Step 1.5: music of a description, of lyrics and of the codes of a language model. */
import { ModelUnsupported } from '#core/host';
import { flowLevels } from '../../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../../sampling/model-sampling/prediction.ts';
import type { FloatTensor } from '../../../../values/tensor.ts';
import { decodeFloats } from '../../../graphs/stored-floats.ts';
import { withConvertedPrompts } from '../../../networks/converted-prompts.ts';
import { onnxNetwork } from '../../../networks/onnx-network.ts';
import type { WeightTable } from '../../../weight-files/weight-table.ts';
import type { NetworkFamily, NetworkSource } from '../../network-family.ts';
import { codeDecoderGraph, codeEncoderGraph } from './audio-code-graphs.ts';
import { conditionGraph } from './condition-graph.ts';
import { MUSIC_CHANNELS, musicConditions } from './music-conditions.ts';
import { musicLayout } from './music-layout.ts';
import { musicTransformerGraph } from './music-transformer-graph.ts';

/** The shift of its noise levels. */
const SHIFT = 3;
const WITHOUT_PROMPT = 'null_condition_emb';

export const aceStep15Family: NetworkFamily = {
  name: 'ACE-Step 1.5',
  isIn: (table) =>
    table.has('encoder.lyric_encoder.layers.0.input_layernorm.weight') &&
    table.has('decoder.condition_embedder.weight'),
  async open(source) {
    const { graphs, table } = source;
    const own = part(table, /^decoder\./);
    const network = onnxNetwork(
      graphs.graph('transformer', own, () => musicTransformerGraph(own)),
      musicLayout,
    );
    const encoder = part(table, /^encoder\./);
    const codes = part(table, /^(de)?tokenizer\./);
    const once = (
      name: string,
      weights: WeightTable,
      build: (weights: WeightTable) => Uint8Array<ArrayBuffer>,
    ) => graphs.graph(name, weights, () => build(weights), true);
    const convert = musicConditions({
      conditions: once('conditions', encoder, conditionGraph),
      codeDecoder: once('code_decoder', codes, codeDecoderGraph),
      codeEncoder: once('code_encoder', codes, codeEncoderGraph),
      withoutPrompt: () => withoutPrompt(source),
    });
    return {
      model: {
        network: withConvertedPrompts(network, convert),
        sampling: { ...flowPrediction(), ...flowLevels(SHIFT, 1) },
        latent: { channels: MUSIC_CHANNELS, scaleFactor: 1, shiftFactor: 0 },
        guidance: { preCfg: [], postCfg: [] },
      },
      encoders: ['ace15-qwen3-0.6b', 'ace15-qwen3-2b', 'ace15-qwen3-4b'],
      combination: 'concat',
    };
  },
};

const part = (table: WeightTable, names: RegExp): WeightTable =>
  new Map([...table].filter(([name]) => names.test(name)));

async function withoutPrompt({ graphs, table }: NetworkSource): Promise<FloatTensor> {
  const stored = table.get(WITHOUT_PROMPT);
  if (!stored)
    throw new ModelUnsupported(
      `${graphs.file.name} lacks ${WITHOUT_PROMPT}: set cfg to 1, or take a complete file`,
    );
  return { shape: stored.shape, data: decodeFloats(await graphs.read(stored), stored.type) };
}
