/** Small upscale networks, and what torch makes of an image with them (record.py). */
import { readFile } from 'node:fs/promises';
import { encodeSafetensors } from '#core/image-workflows/nodes/latent/safetensors.ts';
import type { FloatTensor } from '#core/image-workflows/values/tensor.ts';

export interface ExpectedNetwork {
  /** The shapes of the weights, by name. */
  tensors: Record<string, number[]>;
  scale: number;
  /** The shape of the image: [1, 3, height, width]. */
  image: number[];
  /** Every eleventh number of the result. */
  larger: { shape: number[]; std: number; data: number[] };
}

export const STRIDE = 11;

export const expectedNetworks = async (): Promise<Record<string, ExpectedNetwork>> =>
  JSON.parse(await readFile(new URL('./expected.json', import.meta.url), 'utf8'));

/** Numbers that follow from a name. record.py makes the same. */
function waves(name: string, shape: readonly number[]): Float64Array {
  const size = shape.reduce((product, side) => product * side, 1);
  const phase = [...name].reduce((sum, letter, at) => sum + (at + 1) * letter.charCodeAt(0), 0) % 1000;
  return Float64Array.from({ length: size }, (_, at) => Math.sin((at + 1) * 12.9898 + phase));
}

function weight(name: string, shape: readonly number[]): FloatTensor {
  const inputs = shape.slice(1).reduce((product, side) => product * side, 1);
  const change =
    shape.length < 2 ? (wave: number) => 0.5 + 0.5 * wave : (wave: number) => (wave * 2) / Math.sqrt(inputs);
  return { shape: [...shape], data: Float32Array.from(waves(name, shape), change) };
}

/** The image as an IMAGE: [1, height, width, 3]. */
export function expectedImage({
  image: [, channels = 3, height = 0, width = 0],
}: ExpectedNetwork): FloatTensor {
  const planes = waves('image', [channels, height, width]);
  const data = Float32Array.from(planes, (_, at) => {
    const plane = (at % channels) * height * width;
    return (planes[plane + Math.floor(at / channels)]! + 1) / 2;
  });
  return { shape: [1, height, width, channels], data };
}

/** The network as a safetensors file. `change` may add and remove tensors. */
export function networkFile(
  { tensors }: ExpectedNetwork,
  change: (tensors: Map<string, FloatTensor>) => void = () => {},
): Uint8Array<ArrayBuffer> {
  const weights = new Map(Object.entries(tensors).map(([name, shape]) => [name, weight(name, shape)]));
  change(weights);
  return encodeSafetensors(Object.fromEntries(weights), {});
}
