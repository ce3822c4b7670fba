/** Names of control nets in the original layout (lllyasviel/ControlNet), as diffusers calls the same weights. */
import type { WeightTable } from '../../weight-files/weight-table.ts';
import { renamed, withoutPrefix } from '../../weight-files/weight-table.ts';
import { ldmUnet } from '../unet/ldm-unet-names.ts';

const PREFIX = 'control_model.';

/** Undefined for a file that is no control net in the original layout. */
export function ldmControlNet(file: WeightTable): WeightTable | undefined {
  const table = file.has(`${PREFIX}zero_convs.0.0.weight`) ? withoutPrefix(file, PREFIX) : file;
  if (!table.has('zero_convs.0.0.weight')) return undefined;
  let last = 0;
  for (const name of table.keys())
    last = Math.max(last, Number(/^input_hint_block\.(\d+)\./.exec(name)?.[1] ?? 0));
  const own = renamed(table, (name) => ownName(name, last));
  return new Map([...ldmUnet(table), ...own]);
}

/** The names that a UNet has not. `lastHint`: the index of the last layer over the image. */
function ownName(name: string, lastHint: number): string | undefined {
  const zero = /^(?:zero_convs\.(\d+)|(middle_block_out))\.0\.(weight|bias)$/.exec(name);
  if (zero) {
    const [, index, , parameter] = zero;
    const module = index === undefined ? 'controlnet_mid_block' : `controlnet_down_blocks.${index}`;
    return `${module}.${parameter}`;
  }
  const hint = /^input_hint_block\.(\d+)\.(weight|bias)$/.exec(name);
  if (!hint) return undefined;
  const index = Number(hint[1]);
  // Every second layer is an activation.
  const inner = index === lastHint ? 'conv_out' : `blocks.${index / 2 - 1}`;
  return `controlnet_cond_embedding.${index === 0 ? 'conv_in' : inner}.${hint[2]}`;
}
