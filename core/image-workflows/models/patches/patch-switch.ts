import type { GraphPatchParts } from '../../values/graph-patch.ts';
import { inputField } from '../graphs/graph-fields.ts';

/** A graph's input that is true in runs for which the change of this key is switched on. */
export function patchSwitch(key: string) {
  const input = `tabd/${key}`;
  const feeds: GraphPatchParts['feeds'] = ({ switches }) => ({
    [input]: { type: 'bool', shape: [], data: Uint8Array.of(Number(switches.has(key))) },
  });
  return { input, field: inputField(input, 'BOOL', []), feeds };
}
