/** A plot of the losses of a training. */

import { encodePng } from '#core/image-codecs';
import { linePlot } from '../../images/plot/line-plot.ts';
import { runYielding } from '../../yielding/steps.ts';
import { METADATA_INPUTS } from '../kernel/common-inputs.ts';
import { anyOf, string } from '../kernel/inputs.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';
import { saveFiles } from '../kernel/save-files.ts';

const lossGraph = node({
  name: 'LossGraphNode',
  displayName: 'Plot Loss Graph',
  category: 'training',
  module: 'comfy_extras.nodes_train',
  experimental: true,
  description:
    'Plots the losses of TrainLoraNode, or those that a custom node supplies as { loss: [numbers] }.',
  isOutput: true,
  inputs: {
    loss: anyOf('LOSS_MAP', { default: {} }),
    filename_prefix: string({ default: 'loss_graph' }),
  },
  hidden: METADATA_INPUTS,
  outputs: [],
  async run({ loss, filename_prefix }, context) {
    const values = lossesOf(loss);
    const pixels = await runYielding(linePlot(values, { x: 'Steps', y: 'Loss' }), context.signal);
    const target = await context.files.target(filename_prefix, 'temp');
    const images = await saveFiles(1, [target, 'temp', 'png'], context, (_, texts) =>
      encodePng(pixels, { texts }),
    );
    return { ui: { images } };
  },
});

/** The losses of a LOSS_MAP. Throws a `TypeError` when it contains none, or one that is not finite. */
function lossesOf(map: unknown): number[] {
  const losses = (map as { loss?: ArrayLike<number> } | null)?.loss;
  const isList = Array.isArray(losses) || losses instanceof Float32Array || losses instanceof Float64Array;
  const values = isList ? Array.from(losses as ArrayLike<number>) : [];
  if (values.length === 0)
    throw new TypeError('a LOSS_MAP is { loss: [numbers] } with at least one number, first to last');
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0)
    throw new TypeError(`loss ${wrong + 1} of ${values.length} is ${values[wrong]}: the training diverged`);
  return values;
}

export const lossGraphNodes: AnyNode[] = [lossGraph];
