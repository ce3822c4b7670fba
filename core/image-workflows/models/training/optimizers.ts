/** Optimisers with torch's usual settings, in 64-bit arithmetic over 32-bit numbers. */

export interface TrainedTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array;
  /** The sum of the gradients since the last step. */
  readonly gradient: Float32Array;
}

/** Changes values by their gradients. */
export type OptimizerStep = (tensors: Iterable<TrainedTensor>) => void;

export type OptimizerName = 'AdamW' | 'Adam' | 'SGD' | 'RMSprop';

const [FIRST_DECAY, SECOND_DECAY, EPSILON] = [0.9, 0.999, 1e-8];
/** The decay of the weights of AdamW, in learning rates. */
const WEIGHT_DECAY = 0.01;
/** The decay of the squares of RMSprop. */
const SMOOTHING = 0.99;

export function optimizer(name: OptimizerName, rate: number): OptimizerStep {
  if (name === 'SGD') return each((values, gradient, at) => values[at]! - rate * gradient[at]!);
  if (name === 'RMSprop') return rmsProp(rate);
  return adam(rate, name === 'AdamW' ? WEIGHT_DECAY : 0);
}

const each =
  (next: (values: Float32Array, gradient: Float32Array, at: number) => number): OptimizerStep =>
  (tensors) => {
    for (const { values, gradient } of tensors)
      for (let at = 0; at < values.length; at++) values[at] = next(values, gradient, at);
  };

/** The numbers that an optimiser stores for each tensor. */
function memory(): (tensor: TrainedTensor) => Float32Array {
  const all = new WeakMap<TrainedTensor, Float32Array>();
  return (tensor) => {
    const found = all.get(tensor) ?? new Float32Array(tensor.values.length);
    all.set(tensor, found);
    return found;
  };
}

/** Tieleman and Hinton, "Lecture 6.5: RMSProp", 2012. */
function rmsProp(rate: number): OptimizerStep {
  const squaresOf = memory();
  return (tensors) => {
    for (const tensor of tensors) {
      const { values, gradient } = tensor;
      const squares = squaresOf(tensor);
      for (let at = 0; at < values.length; at++) {
        const slope = gradient[at]!;
        squares[at] = SMOOTHING * squares[at]! + (1 - SMOOTHING) * slope * slope;
        values[at]! -= (rate * slope) / (Math.sqrt(squares[at]!) + EPSILON);
      }
    }
  };
}

/**
 * Kingma and Ba, "Adam: a method for stochastic optimization", 2015, algorithm 1. With a decay of the weights: Loshchilov
 * and Hutter, "Decoupled weight decay regularization", 2019, algorithm 2.
 */
function adam(rate: number, decay: number): OptimizerStep {
  const [meansOf, squaresOf] = [memory(), memory()];
  let steps = 0;
  return (tensors) => {
    steps++;
    const [first, second] = [1 - FIRST_DECAY ** steps, 1 - SECOND_DECAY ** steps];
    for (const tensor of tensors) {
      const { values, gradient } = tensor;
      const [means, squares] = [meansOf(tensor), squaresOf(tensor)];
      for (let at = 0; at < values.length; at++) {
        const slope = gradient[at]!;
        means[at] = FIRST_DECAY * means[at]! + (1 - FIRST_DECAY) * slope;
        squares[at] = SECOND_DECAY * squares[at]! + (1 - SECOND_DECAY) * slope * slope;
        const deviation = Math.sqrt(squares[at]! / second) + EPSILON;
        values[at] = values[at]! * (1 - rate * decay) - (rate * means[at]!) / first / deviation;
      }
    }
  };
}
