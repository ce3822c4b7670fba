/** Control nets: images that steer the composition of the result. */

import { controlNetNames, loadControlNet, loadDiffControlNet } from '../../models/control/control-net.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { withOptions } from '../../values/conditioning.ts';
import type { ControlHint, ControlNet } from '../../values/control-net.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { fraction, strength } from '../kernel/common-inputs.ts';
import { choice, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const conditioning = () => link('CONDITIONING', undefined);
const shared = { category: 'conditioning/controlnet', module: 'nodes' } as const;

const controlNetLoader = node({
  name: 'ControlNetLoader',
  displayName: 'Load ControlNet Model',
  category: 'loaders',
  module: 'nodes',
  description: 'Loads a control net or a T2I adapter of the folder controlnet.',
  inputs: { control_net_name: choice(controlNetNames) },
  outputs: [output('CONTROL_NET')],
  run: async ({ control_net_name }, { host }) => [await loadControlNet(host, control_net_name)],
});

const diffControlNetLoader = node({
  name: 'DiffControlNetLoader',
  displayName: 'Load ControlNet Model (diff)',
  category: 'loaders',
  module: 'nodes',
  description:
    'Loads a control net of the folder controlnet. Weights that are differences are added to those of the model; others stay as they are.',
  inputs: { model: link('MODEL', undefined), control_net_name: choice(controlNetNames) },
  outputs: [output('CONTROL_NET')],
  run: async ({ model, control_net_name }, { host, signal }) => [
    await loadDiffControlNet(host, control_net_name, model, signal),
  ],
});

/** Adds a control net to prompts. Prompts that shared a hint share the new one too, so that one run serves both. */
function addControlNet(
  lists: readonly Conditioning[],
  net: ControlNet,
  image: FloatTensor,
  rest: Pick<ControlHint, 'strength' | 'startPercent' | 'endPercent' | 'vae' | 'mask'>,
): Conditioning[] {
  const hints = new Map<ControlHint | undefined, ControlHint>();
  const hintAfter = (previous: ControlHint | undefined): ControlHint => {
    const hint = hints.get(previous) ?? { net, image, ...rest, ...(previous && { previous }) };
    hints.set(previous, hint);
    return hint;
  };
  return lists.map((list) =>
    withOptions(list, ({ control }) => ({ control: { hint: hintAfter(control?.hint) } })),
  );
}

const controlNetApply = node({
  ...shared,
  name: 'ControlNetApply',
  displayName: 'Apply ControlNet (OLD)',
  deprecated: true,
  description: 'The prompt and the negative prompt follow an image through a control net.',
  inputs: {
    conditioning: conditioning(),
    control_net: link('CONTROL_NET', undefined),
    image: link('IMAGE', undefined),
    strength: strength(),
  },
  outputs: [output('CONDITIONING')],
  run({ conditioning, control_net, image, strength }) {
    if (strength === 0) return [conditioning];
    const range = { startPercent: 0, endPercent: 1 };
    const [controlled] = addControlNet([conditioning], control_net, image, { strength, ...range });
    return [withOptions(controlled!, { control: { isShared: true } })];
  },
});

interface ControlValues {
  positive: Conditioning;
  negative: Conditioning;
  control_net: ControlNet;
  image: FloatTensor;
  strength: number;
  start_percent: number;
  end_percent: number;
  vae?: VaeModel | undefined;
  mask?: FloatTensor;
}

function applyToBoth(values: ControlValues): Conditioning[] {
  const { positive, negative, control_net, image, strength, start_percent, end_percent, vae, mask } = values;
  if (strength === 0) return [positive, negative];
  const range = { startPercent: start_percent, endPercent: end_percent };
  const options = { strength, ...range, ...(vae && { vae }), ...(mask && { mask }) };
  return addControlNet([positive, negative], control_net, image, options);
}

const controlNetApplyAdvanced = node({
  ...shared,
  name: 'ControlNetApplyAdvanced',
  displayName: 'Apply ControlNet',
  description: 'Both prompts follow an image through a control net, in a range of the sampling.',
  inputs: {
    positive: conditioning(),
    negative: conditioning(),
    control_net: link('CONTROL_NET', undefined),
    image: link('IMAGE', undefined),
    strength: strength(),
    start_percent: fraction(0.0),
    end_percent: fraction(1.0),
    vae: optional(link('VAE', undefined)),
  },
  outputs: [output('CONDITIONING', 'positive'), output('CONDITIONING', 'negative')],
  run: applyToBoth,
});

// Control nets of transformers need the autoencoder; those of UNets take the image itself.
const controlNetApplySd3 = node({
  name: 'ControlNetApplySD3',
  displayName: 'Apply Controlnet with VAE',
  category: 'conditioning/controlnet',
  module: 'comfy_extras.nodes_sd3',
  modern: true,
  deprecated: true,
  description: 'Both prompts follow an image through a control net, in a range of the sampling.',
  inputs: {
    positive: link('CONDITIONING'),
    negative: link('CONDITIONING'),
    control_net: link('CONTROL_NET'),
    vae: link('VAE'),
    image: link('IMAGE'),
    strength: strength(),
    start_percent: fraction(0.0),
    end_percent: fraction(1.0),
  },
  outputs: [output('CONDITIONING', 'positive'), output('CONDITIONING', 'negative')],
  run: applyToBoth,
});

const inpaintingAliMama = node({
  name: 'ControlNetInpaintingAliMamaApply',
  displayName: 'ControlNetInpaintingAliMamaApply',
  category: 'conditioning/controlnet',
  module: 'comfy_extras.nodes_controlnet',
  description:
    'Both prompts follow an image outside of a mask, through a control net that repaints the masked part.',
  inputs: {
    positive: conditioning(),
    negative: conditioning(),
    control_net: link('CONTROL_NET', undefined),
    vae: link('VAE', undefined),
    image: link('IMAGE', undefined),
    mask: link('MASK', undefined),
    strength: strength(),
    start_percent: fraction(0.0),
    end_percent: fraction(1.0),
  },
  outputs: [output('CONDITIONING', 'positive'), output('CONDITIONING', 'negative')],
  run: applyToBoth,
});

/** The kinds of image that union control nets take, in the order of their indices after `auto`. */
const KINDS = [
  'auto',
  'openpose',
  'depth',
  'hed/pidi/scribble/ted',
  'canny/lineart/anime_lineart/mlsd',
  'normal',
  'segment',
  'tile',
  'repaint',
] as const;

const setUnionControlNetType = node({
  name: 'SetUnionControlNetType',
  displayName: 'SetUnionControlNetType',
  category: 'conditioning/controlnet',
  module: 'comfy_extras.nodes_controlnet',
  description: 'Selects the kind of image for a control net that takes several kinds.',
  inputs: { control_net: link('CONTROL_NET', undefined), type: choice(KINDS) },
  outputs: [output('CONTROL_NET')],
  run({ control_net, type }) {
    const index = KINDS.indexOf(type) - 1;
    return [control_net.ofType(index < 0 ? undefined : index)];
  },
});

export const controlNetNodes: AnyNode[] = [
  controlNetLoader,
  diffControlNetLoader,
  controlNetApply,
  controlNetApplyAdvanced,
  controlNetApplySd3,
  inpaintingAliMama,
  setUnionControlNetType,
];
