/**
 * The image encoder of Stable Cascade's stage C and its small decoder for previews, as two ONNX models. The encoder is
 * EfficientNetV2 S (Tan and Le, "EfficientNetV2", 2021, table 4).
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { batchNorm } from '../../layers/batch-norm.ts';
import { convolution } from '../../layers/convolution.ts';
import { add, gelu, multiply, scaled, silu } from '../../layers/elementary.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';

/** The colors of the encoder's training images. */
const MEAN = [0.485, 0.456, 0.406];
const DEVIATION = [0.229, 0.224, 0.225];
/** Whether the first block of a stage halves the sides: of the first layer, six stages and the last layer. */
const STRIDES = [2, 1, 2, 2, 2, 1, 2, 1];
const BACKBONE_EPSILON = 1e-3;
const EPSILON = 1e-5;

/**
 * Input: `sample` [batch, 3, height, width], an image from -1 to 1. Output: `latent_parameters`, the latent.
 * @throws ModelUnsupported when weights are missing
 */
export function stageCEncoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const encoder = root.at('encoder').exists() ? root.at('encoder') : root;
  const half = scaled(root, add(root, 'sample', root.graph.scalarInitializer(1)), 0.5);
  const colors = (name: string, values: number[]) => root.constant(name, [1, 3, 1, 1], values);
  let x = root.op('Div', [root.op('Sub', [half, colors('mean', MEAN)]), colors('deviation', DEVIATION)]);
  for (const [index, stage] of encoder.list('backbone').entries()) {
    const stride = STRIDES[index] ?? 1;
    // The first and the last stage are single layers.
    if (stage.has('0.weight')) x = normedConvolution(stage, x, stride);
    else
      for (const [at, m] of stage.list().entries())
        x = invertedBlock(m.at('block'), x, at === 0 ? stride : 1);
  }
  const latent = batchNorm(encoder.at('mapper.1'), convolution(encoder.at('mapper.0'), x), EPSILON);
  root.graph.node('Identity', [latent], {}, 'latent_parameters');
  return root.graph.buildModel(
    [{ name: 'sample', type: 'float32', shape: ['batch', 3, 'image height', 'image width'] }],
    [{ name: 'latent_parameters', type: 'float32', shape: ['batch', 'channels', 'height', 'width'] }],
  );
}

/** The parts of a block: convolutions, and the squeeze-and-excitation layer of later stages. */
function invertedBlock(m: NetworkModule, x: Value, stride: number): Value {
  const parts = m.list();
  // The block's stride is that of its first convolution of more than one cell.
  let remaining = stride;
  let changed = x;
  for (const [index, part] of parts.entries()) {
    if (part.at('fc1').exists()) {
      changed = excited(part, changed);
      continue;
    }
    const isWide = part.shape('0.weight')[2]! > 1;
    const isLast = parts.length > 1 && index === parts.length - 1;
    changed = normedConvolution(part, changed, isWide ? remaining : 1, !isLast);
    if (isWide) remaining = 1;
  }
  const [inputs, outputs] = [inputsOf(parts[0]!), parts.at(-1)!.shape('0.weight')[0]];
  return stride === 1 && inputs === outputs ? add(m, changed, x) : changed;
}

const inputsOf = (m: NetworkModule): number => m.shape('0.weight')[1]!;

/** A convolution with a norm and an activation. With one input for each filter, each channel has a filter of its own. */
function normedConvolution(m: NetworkModule, x: Value, stride: number, isActive = true): Value {
  const [channels = 1, inputs = 1, kernel = 1] = m.shape('0.weight');
  const half = Math.floor(kernel / 2);
  const filtered = m.at('0').op('Conv', [x, m.at('0').parameter()], {
    kernel_shape: [kernel, kernel],
    strides: [stride, stride],
    pads: [half, half, half, half],
    group: inputs === 1 ? channels : 1,
  });
  const normed = batchNorm(m.at('1'), filtered, BACKBONE_EPSILON);
  return isActive ? silu(m, normed) : normed;
}

/** Hu et al., "Squeeze-and-excitation networks", 2018. */
function excited(m: NetworkModule, x: Value): Value {
  const mean = m.op('ReduceMean', [x], { axes: [2, 3], keepdims: 1 });
  const inner = silu(m, convolution(m.at('fc1'), mean));
  return multiply(m, x, m.op('Sigmoid', [convolution(m.at('fc2'), inner)]));
}

/**
 * Input: `latent_sample` [batch, channels, height, width]. Output: `sample`, a small image from -1 to 1.
 * @throws ModelUnsupported when weights are missing
 */
export function previewerGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const blocks = root.at('previewer').exists() ? root.at('previewer.blocks') : root.at('blocks');
  const [, channels = 0] = blocks.at('0').shape();
  let x: Value = 'latent_sample';
  // Convolutions with an activation and a norm each. The last one stands alone.
  for (let index = 0; blocks.at(String(index)).has('weight'); index += 3) {
    const m = blocks.at(String(index));
    const isLast = !blocks.at(String(index + 2)).exists();
    const filtered = resized(m, x);
    x = isLast ? filtered : batchNorm(blocks.at(String(index + 2)), gelu(m, filtered), EPSILON);
  }
  const image = root.op('Sub', [scaled(root, x, 2), root.graph.scalarInitializer(1)]);
  root.graph.node('Identity', [image], {}, 'sample');
  return root.graph.buildModel(
    [{ name: 'latent_sample', type: 'float32', shape: ['batch', channels, 'height', 'width'] }],
    [{ name: 'sample', type: 'float32', shape: ['batch', 3, 'image height', 'image width'] }],
  );
}

/** A convolution. Those with an even kernel double the sides. */
function resized(m: NetworkModule, x: Value): Value {
  const [, , kernel = 1] = m.shape();
  if (kernel % 2 === 1) return convolution(m, x);
  return m.op('ConvTranspose', [x, m.parameter(), m.parameter('bias')], {
    kernel_shape: [kernel, kernel],
    strides: [kernel, kernel],
  });
}
