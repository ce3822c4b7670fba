import type { GraphPatchParts } from '../../values/graph-patch.ts';
import { inputField } from '../graphs/graph-fields.ts';

/** A boolean input of the graph that is true in passes for which the patch with this key is switched on. */
export function patchSwitch(key: string) {
  const input = `tabd/${key}`;
  const feeds: GraphPatchParts['feeds'] = ({ switches }) => ({
    [input]: { type: 'bool', shape: [], data: Uint8Array.of(Number(switches.has(key))) },
  });
  return { input, field: inputField(input, 'BOOL', []), feeds };
}
