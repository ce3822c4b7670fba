import type { ModelMetadata } from '#core/local-models/base/installed-model.ts';
import type { GraphWeight } from './onnx/read-graph-weights.ts';
import { weightStatistics } from './onnx/weight-statistics.ts';

/** The metadata of an image model, from the weights of its network. */
export function imageMetadata(architecture: string, weights: readonly GraphWeight[]): ModelMetadata {
  return {
    architecture,
    ...weightStatistics([...weights]),
    contextLength: 0,
    embeddingLength: 0,
    addBos: false,
    hasVision: false,
    makesImages: true,
    keyValues: [['general.architecture', architecture]],
    tensors: weights.map(({ name, type, shape }) => ({ name, type, shape })),
  };
}
