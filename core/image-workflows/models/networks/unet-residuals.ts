/** The residuals of control nets and T2I adapters as inputs of UNets. */
import type { Tensor, TensorSlot } from '#core/host';
import { toBatch } from '../../values/batches.ts';
import type { ControlResidual } from '../../values/network.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { feed } from '../graphs/session-tensors.ts';
import { isInputBlockResidual, isUnetResidual, type ResidualShapes } from './control-residuals.ts';
import type { NetworkInput } from './onnx-network.ts';

type Residuals = readonly ControlResidual[] | undefined;
type UnetInput = Pick<NetworkInput, 'session' | 'x' | 'prompts'>;

/**
 * The residuals of prompts of which all have the same kinds of residuals, or none. They are zeros for prompts without.
 *
 * @throws when the network lacks inputs for them
 */
export function unetResidualFeeds(input: UnetInput, residualShapes: ResidualShapes): Record<string, Tensor> {
  checkCounts(input);
  const slots = input.session.inputs.filter(({ name }) => isUnetResidual(name) || isInputBlockResidual(name));
  const ordered = slots.filter(({ name }) => isUnetResidual(name));
  // A single zero fits graphs that add residuals of any shape.
  const isAny = slots.every(({ shape }) => shape.every((side) => typeof side !== 'number'));
  const shapes = isAny ? [] : residualShapes(input.x.shape, ordered.length);
  const batch = input.x.shape[0]!;
  return Object.fromEntries(
    slots.map((slot) => {
      const index = ordered.indexOf(slot);
      const nothing = zeros([batch, ...(shapes[index] ?? [1, 1, 1])]);
      const parts = input.prompts.map(({ control }) => residualFor(slot, index, control) ?? nothing);
      return [slot.name, feed(slot, toBatch(parts, batch))];
    }),
  );
}

function checkCounts({ session, prompts }: UnetInput): void {
  const slots = session.inputs.filter(({ name }) => isUnetResidual(name));
  for (const { control } of prompts) {
    const { length: count } = inOrder(control);
    if (count > 0 && slots.length === 0)
      throw new Error(
        "this model's UNet has no inputs for control nets (down_block_…, mid_block_…): export it with them",
      );
    if (count > 0 && count !== slots.length)
      throw new TypeError(
        `the control net changes ${count} layers, and this model has ${slots.length} such layers: use a control net for this kind of model`,
      );
    for (const { input: name } of control ?? [])
      if (name !== undefined && !session.inputs.some((slot) => slot.name === name))
        throw new TypeError(
          `the T2I adapter changes ${name}, which this model has not: use a file of weights of the model that it was made for`,
        );
  }
}

/** The residuals that belong to the inputs in their order. */
const inOrder = (control: Residuals): ControlResidual[] =>
  control?.filter(({ input }) => input === undefined) ?? [];

/** The sum of a control net's residual and that of a T2I adapter. Undefined: there is neither. */
function residualFor({ name }: TensorSlot, index: number, control: Residuals): FloatTensor | undefined {
  const own = index < 0 ? undefined : inOrder(control)[index];
  const added = control?.find(({ input }) => input === name);
  if (!own || !added) return own ?? added;
  if (own.data.length !== added.data.length)
    throw new TypeError(
      `residuals of the shapes ${own.shape} and ${added.shape} do not fit: the T2I adapter is for another kind of model`,
    );
  return { shape: own.shape, data: own.data.map((value, at) => value + added.data[at]!) };
}
