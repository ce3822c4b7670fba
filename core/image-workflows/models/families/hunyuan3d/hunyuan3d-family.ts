/** Hunyuan3D 2: shapes of images. */
import { flowLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { hasPrefix, type WeightTable } from '../../weight-files/weight-table.ts';
import { originalTransformer } from '../joint-attention/original-transformer-weights.ts';
import type { NetworkFamily } from '../network-family.ts';
import { hunyuan3dGraph } from './hunyuan3d-graph.ts';
import { hunyuan3dLayout } from './hunyuan3d-layout.ts';

/** The scales of the latents of the usual network, and of the small one with fewer blocks. */
const SCALE = 0.9990943042622529;
const SMALL_SCALE = 1.0188137142395404;
const SMALL_BLOCKS = 8;

export const hunyuan3dFamily: NetworkFamily = {
  name: 'Hunyuan3D 2',
  isIn: (table) => table.has('latent_in.weight') && table.has('double_blocks.0.img_attn.norm.key_norm.scale'),
  async open({ graphs, table }) {
    const weights = diffusersBlocks(table);
    const graph = graphs.graph('transformer', weights, () => hunyuan3dGraph(weights));
    const isSmall = !hasPrefix(table, `double_blocks.${SMALL_BLOCKS}.`);
    const [, channels = 0] = table.get('latent_in.weight')?.shape ?? [];
    return {
      model: {
        network: onnxNetwork(graph, hunyuan3dLayout),
        sampling: { ...flowPrediction(), ...flowLevels(1, 1) },
        latent: { channels, scaleFactor: isSmall ? SMALL_SCALE : SCALE, shiftFactor: 0 },
        guidance: { preCfg: [], postCfg: [] },
      },
      encoders: [],
      combination: 'concat',
    };
  },
};

/** The blocks have the names of Flux. Others stay. */
function diffusersBlocks(table: WeightTable): WeightTable {
  const own = [...table].filter(([name]) => /^(latent_in|cond_in)\./.test(name));
  return new Map([...originalTransformer('flux', table), ...own]);
}
