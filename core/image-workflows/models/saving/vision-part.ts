/** The vision encoder of a checkpoint that images guide. */
import type { ModelGraph } from '../../values/model-graph.ts';
import { allTensors, type SavedPart } from './saved-tensors.ts';

/** Its names begin like this in checkpoints of Stable Video Diffusion. The rest are those of transformers. */
const PREFIX = 'conditioner.embedders.0.open_clip.model.visual.';

/** @param graph over a file of weights */
export function visionPart(graph: ModelGraph): SavedPart {
  const stored = graph.source.stored!;
  const own = [...stored.table].filter(([name]) => name.startsWith(PREFIX));
  const tensors = own.length > 0 ? allTensors(new Map(own), '') : allTensors(stored.used, PREFIX);
  return { stored, graphs: [graph], tensors };
}
