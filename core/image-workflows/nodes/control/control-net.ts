/** Control nets: a picture that says where things are. */

import { controlNetNames, loadControlNet, loadDiffControlNet } from '../../models/control/control-net.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { withOptions } from '../../values/conditioning.ts';
import type { ControlHint, ControlNet } from '../../values/control-net.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { choice, float, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const conditioning = () => link('CONDITIONING', undefined);
const strength = () => float({ default: 1.0, min: 0.0, max: 10.0, step: 0.01 });
const percent = (value: number) => float({ default: value, min: 0.0, max: 1.0, step: 0.001 });
const applied = { category: 'conditioning/controlnet', module: 'nodes' } as const;

const controlNetLoader = node({
  name: 'ControlNetLoader',
  displayName: 'Load ControlNet Model',
  category: 'loaders',
  module: 'nodes',
  description: 'A control net in ONNX of the folder controlnet.',
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
    'A control net of the folder controlnet whose weights are differences to those of a model, which are added. One with weights of its own is taken as it is.',
  inputs: { model: link('MODEL', undefined), control_net_name: choice(controlNetNames) },
  outputs: [output('CONTROL_NET')],
  run: async ({ model, control_net_name }, { host, signal }) => [
    await loadDiffControlNet(host, control_net_name, model, signal),
  ],
});

/** Prompts that had the same control nets before have the same ones after: they run together. */
function controlled(
  lists: readonly Conditioning[],
  net: ControlNet,
  image: FloatTensor,
  rest: Pick<ControlHint, 'strength' | 'startPercent' | 'endPercent' | 'vae' | 'mask'>,
): Conditioning[] {
  const hints = new Map<ControlHint | undefined, ControlHint>();
  const after = (previous: ControlHint | undefined): ControlHint => {
    const known = hints.get(previous) ?? { net, image, ...rest, ...(previous && { previous }) };
    hints.set(previous, known);
    return known;
  };
  return lists.map((list) =>
    withOptions(list, ({ control }) => ({ control: { hint: after(control?.hint) } })),
  );
}

const controlNetApply = node({
  ...applied,
  name: 'ControlNetApply',
  displayName: 'Apply ControlNet (OLD)',
  deprecated: true,
  description: 'The prompt and the negative one follow a picture through a control net.',
  inputs: {
    conditioning: conditioning(),
    control_net: link('CONTROL_NET', undefined),
    image: link('IMAGE', undefined),
    strength: strength(),
  },
  outputs: [output('CONDITIONING')],
  run({ conditioning, control_net, image, strength }) {
    if (strength === 0) return [conditioning];
    const [made] = controlled([conditioning], control_net, image, {
      strength,
      startPercent: 0,
      endPercent: 1,
    });
    return [withOptions(made!, { control: { isShared: true } })];
  },
});

interface ForBoth {
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

function applyToBoth(values: ForBoth): Conditioning[] {
  const { positive, negative, control_net, image, strength, start_percent, end_percent, vae, mask } = values;
  if (strength === 0) return [positive, negative];
  const beside = { ...(vae && { vae }), ...(mask && { mask }) };
  const rest = { strength, startPercent: start_percent, endPercent: end_percent, ...beside };
  return controlled([positive, negative], control_net, image, rest);
}

const controlNetApplyAdvanced = node({
  ...applied,
  name: 'ControlNetApplyAdvanced',
  displayName: 'Apply ControlNet',
  description: 'Both prompts follow a picture through a control net, in a part of the sampling.',
  inputs: {
    positive: conditioning(),
    negative: conditioning(),
    control_net: link('CONTROL_NET', undefined),
    image: link('IMAGE', undefined),
    strength: strength(),
    start_percent: percent(0.0),
    end_percent: percent(1.0),
    vae: optional(link('VAE', undefined)),
  },
  outputs: [output('CONDITIONING', 'positive'), output('CONDITIONING', 'negative')],
  run: applyToBoth,
});

/** Control nets of UNets look at the picture itself: the autoencoder is for those of transformers. */
const controlNetApplySd3 = node({
  name: 'ControlNetApplySD3',
  displayName: 'Apply Controlnet with VAE',
  category: 'conditioning/controlnet',
  module: 'comfy_extras.nodes_sd3',
  modern: true,
  deprecated: true,
  description: 'Both prompts follow a picture through a control net, in a part of the sampling.',
  inputs: {
    positive: link('CONDITIONING'),
    negative: link('CONDITIONING'),
    control_net: link('CONTROL_NET'),
    vae: link('VAE'),
    image: link('IMAGE'),
    strength: strength(),
    start_percent: percent(0.0),
    end_percent: percent(1.0),
  },
  outputs: [output('CONDITIONING', 'positive'), output('CONDITIONING', 'negative')],
  run: applyToBoth,
});

const inpaintingAliMama = node({
  name: 'ControlNetInpaintingAliMamaApply',
  displayName: 'ControlNetInpaintingAliMamaApply',
  category: 'conditioning/controlnet',
  module: 'comfy_extras.nodes_controlnet',
  description: 'Both prompts follow a picture outside of a mask, through a control net that paints under it.',
  inputs: {
    positive: conditioning(),
    negative: conditioning(),
    control_net: link('CONTROL_NET', undefined),
    vae: link('VAE', undefined),
    image: link('IMAGE', undefined),
    mask: link('MASK', undefined),
    strength: strength(),
    start_percent: percent(0.0),
    end_percent: percent(1.0),
  },
  outputs: [output('CONDITIONING', 'positive'), output('CONDITIONING', 'negative')],
  run: applyToBoth,
});

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
  description: 'Which kind of picture a control net for several kinds is given.',
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
