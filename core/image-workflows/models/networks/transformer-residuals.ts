/** The residuals of control nets as inputs of transformers. */
import type { Tensor, TensorSlot } from '#core/host';
import { toBatch } from '../../values/batches.ts';
import { type ControlResidual, residualKind } from '../../values/network.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { feed } from '../graphs/session-tensors.ts';
import { blockSamples, isSingleBlockSample } from './control-residuals.ts';
import type { NetworkInput } from './onnx-network.ts';

/**
 * The residuals of control nets, [batch, tokens, width] for each block that takes them. They are zeros for prompts
 * without a control net, and for the tokens of references.
 */
export function residualFeeds(input: NetworkInput, tokens: number): Record<string, Tensor> {
  const { session, x, prompts } = input;
  const slots = blockSamples(session.inputs);
  const residuals: readonly ControlResidual[] | undefined = prompts.find(({ control }) => control)?.control;
  if (slots.length === 0 && residuals)
    throw new Error(
      "this model's transformer has no inputs for control nets (controlnet_block_samples_0, …): export it with them",
    );
  if (takesAny(slots)) return spreadResiduals(slots, input, tokens);
  const doubles = slots.filter(({ name }) => !isSingleBlockSample(name)).length;
  if (residuals && residuals.length !== slots.length && residuals.length !== doubles)
    throw new Error(
      `the control net has ${residuals.length} outputs, and the transformer takes ${slots.length}: export it with inputs for this control net's`,
    );
  const batch = x.shape[0]!;
  return Object.fromEntries(
    slots.map((slot, index) => {
      const width = Number(slot.shape.at(-1)) || (residuals?.[0]?.shape[2] ?? 0);
      const parts = prompts.map(({ control }) => padTokens(control?.[index], [batch, tokens, width]));
      return [slot.name, feed(slot, toBatch(parts, batch))];
    }),
  );
}

/** The name of a side in graphs that take a residual of any shape for each of their blocks. */
const ANY_SIDE = /^residual /;

const takesAny = (slots: readonly TensorSlot[]): boolean =>
  slots.length > 0 && slots.every(({ shape }) => ANY_SIDE.test(String(shape[0])));

/**
 * Control nets have fewer blocks than transformers: each residual serves several of them. Without a control net a single
 * zero serves all. Single-stream blocks change the text as well, which comes first.
 */
function spreadResiduals(
  slots: readonly TensorSlot[],
  { prompts, x }: NetworkInput,
  tokens: number,
): Record<string, Tensor> {
  const batch = x.shape[0]!;
  const feeds: Record<string, Tensor> = {};
  for (const isSingle of [false, true]) {
    const same = slots.filter(({ name }) => isSingleBlockSample(name) === isSingle);
    for (const [index, slot] of same.entries()) {
      const parts = prompts.map(({ control = [], tensor }) => {
        const own = control.filter((each) => (each.isSingle === true) === isSingle);
        const text = isSingle ? tensor.shape[1]! : 0;
        const padded = residualsOf(own, index, same.length).map((each) =>
          padTokens(each, [batch, text + tokens, each.shape[2]!], text),
        );
        return padded.length === 0 ? zeros([batch, 1, 1]) : padded.reduce(sumOf);
      });
      feeds[slot.name] = feed(slot, toBatch(parts, batch));
    }
  }
  return feeds;
}

/** The residuals for one of `blocks` blocks: one of each control net, or of each sum of nets of the same size. */
function residualsOf(
  residuals: readonly ControlResidual[],
  block: number,
  blocks: number,
): ControlResidual[] {
  const kinds = new Map<string, ControlResidual[]>();
  for (const residual of residuals) {
    const kind = residualKind(residual);
    kinds.set(kind, [...(kinds.get(kind) ?? []), residual]);
  }
  return [...kinds.values()].flatMap((all) => {
    const inRow = Math.ceil(blocks / all.length);
    return all[all[0]!.repeats ? block % all.length : Math.floor(block / inRow)] ?? [];
  });
}

function sumOf(a: FloatTensor, b: FloatTensor): FloatTensor {
  if (a.data.length !== b.data.length)
    throw new TypeError(
      `the control nets have residuals of ${a.shape.at(-1)} and ${b.shape.at(-1)} numbers: use nets of one model`,
    );
  return { shape: a.shape, data: a.data.map((value, at) => value + b.data[at]!) };
}

/**
 * Pads a residual with zeros to a shape [batch, tokens, width]. Undefined stands for zeros alone.
 * @param first the token at which it begins
 */
function padTokens(
  residual: FloatTensor | undefined,
  [batch, tokens, width]: readonly [number, number, number],
  first = 0,
): FloatTensor {
  const result = zeros([batch, tokens, width]);
  if (!residual) return result;
  const size = residual.data.length / batch;
  for (let i = 0; i < batch; i++)
    result.data.set(residual.data.subarray(i * size, (i + 1) * size), (i * tokens + first) * width);
  return result;
}
