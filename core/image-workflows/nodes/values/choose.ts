/** Nodes that choose: between two inputs, among written options, and a size for a shape of image. */
import { roundHalfEven } from '../../images/rounding.ts';
import { anyOf, boolean, choice, float, int, lazy, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = { modern: true, category: 'utils/logic', module: 'comfy_extras.nodes_logic' } as const;

/** The input that is not chosen does not run. */
const switchNode = node({
  ...shared,
  name: 'ComfySwitchNode',
  displayName: 'Switch',
  description: 'Passes on one of two inputs of any type. Nodes that only the other one needs do not run.',
  inputs: {
    switch: boolean({ default: false }),
    on_false: lazy(optional(anyOf('*'))),
    on_true: lazy(optional(anyOf('*'))),
  },
  outputs: [output('*', 'output')],
  needs: (values) => [chosenInput(values.switch === true)],
  run(values) {
    const chosen = chosenInput(values.switch);
    if (values[chosen] === undefined)
      throw new Error(`the switch chose ${chosen}, which has no link: connect it, or change the switch`);
    return [values[chosen]];
  },
});

const chosenInput = (isOn: boolean) => (isOn ? 'on_true' : 'on_false');

/** The editor keeps the options. The server receives the chosen one. */
const customCombo = node({
  ...shared,
  name: 'CustomCombo',
  displayName: 'Custom Combo',
  category: 'utils',
  experimental: true,
  description: 'Passes on the chosen one of the options that were written at the node, and its position.',
  inputs: {
    choice: anyOf('COMBO', { multiselect: false, options: [] }),
    index: optional(int({ default: 0 })),
  },
  outputs: [output('STRING'), output('INT', 'INDEX')],
  run: ({ choice, index }) => [String(choice), index ?? 0],
});

const ASPECT_RATIOS = [
  '1:1 (Square)',
  '2:3 (Portrait Photo)',
  '3:2 (Photo)',
  '3:4 (Portrait Standard)',
  '4:3 (Standard)',
  '9:16 (Portrait Widescreen)',
  '16:9 (Widescreen)',
  '21:9 (Ultrawide)',
] as const;

const MEGAPIXEL = 1024 * 1024;

const resolutionSelector = node({
  ...shared,
  name: 'ResolutionSelector',
  displayName: 'Resolution Selector',
  category: 'utils',
  module: 'comfy_extras.nodes_resolution',
  description: 'Computes the sides of an image from its shape and its number of pixels.',
  inputs: {
    aspect_ratio: choice(ASPECT_RATIOS, { default: '1:1 (Square)', multiselect: false }),
    megapixels: float({ default: 1, min: 0.1, max: 16, step: 0.1 }),
    multiple: optional(int({ default: 8, min: 8, max: 128, step: 4 })),
  },
  outputs: [output('INT', 'width'), output('INT', 'height')],
  run({ aspect_ratio, megapixels, multiple = 8 }) {
    const sides = aspect_ratio.split(' ')[0]!.split(':').map(Number);
    const [wide, high] = sides;
    if (!(wide! > 0 && high! > 0))
      throw new Error(`${aspect_ratio} is no shape: choose one of ${ASPECT_RATIOS.join(', ')}`);
    const scale = Math.sqrt((megapixels * MEGAPIXEL) / (wide! * high!));
    return sides.map((side) => roundHalfEven((side * scale) / multiple) * multiple);
  },
});

/** The nodes in the order of `/object_info`. */
export const choosingNodes: AnyNode[] = [switchNode, customCombo, resolutionSelector];
