/** SDXL with a recorded label in place of that of its sizes and pooled text. */
import { inputField, nodeField } from '#core/image-workflows/models/graphs/graph-fields.ts';
import type { DiffusionModel } from '#core/image-workflows/values/diffusion-model.ts';
import type { GraphPatch } from '#core/image-workflows/values/graph-patch.ts';
import type { FloatTensor } from '#core/image-workflows/values/tensor.ts';

const LABEL = 'recorded_label';

/** The recorded label is no sum of embeddings of sizes, so no prompt leads to it. @param label [1, width] */
export async function withRecordedLabel(model: DiffusionModel, label: FloatTensor): Promise<DiffusionModel> {
  const patch: GraphPatch = {
    key: LABEL,
    build({ nodes }) {
      const joined = nodes.find(
        ({ operator, inputs }) => operator === 'Concat' && inputs.includes('text_embeds'),
      );
      if (!joined) throw new Error('this graph has no label of sizes and pooled text');
      return {
        fields: [inputField(LABEL, 'F32', label.shape)],
        insertions: [
          {
            at: { value: joined.outputs[0]! },
            parts: (_, to) => [nodeField('Identity', [LABEL], [to])],
          },
        ],
        feeds: () => ({ [LABEL]: { type: 'float32', ...label } }),
      };
    },
  };
  const network = await model.network.withPatch!(patch, new AbortController().signal);
  return { ...model, network };
}
