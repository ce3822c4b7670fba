/** Values beyond images: videos, shapes and drawings. */
import type { Audio } from '../audio/audio.ts';
import type { FloatTensor } from './tensor.ts';

/** A video: computed frames, or a file. */
export interface Video {
  /** Frames and audio. A file is read at each call. */
  parts(signal: AbortSignal): Promise<VideoParts>;
  size(signal: AbortSignal): Promise<{ width: number; height: number }>;
  /** The video as an MP4 file without encoding the frames again. Resolves to undefined when that is impossible. */
  asMp4?(
    codec: 'auto' | 'h264',
    texts: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>;
}

export interface VideoParts {
  /** [frames, height, width, channels] */
  readonly images: FloatTensor;
  /** Frames per second. */
  readonly fps: number;
  readonly audio?: Audio;
}

export interface Voxels {
  /** [batch, depth, height, width]: the density of a shape in each cell. */
  readonly data: FloatTensor;
}

/** Triangles between points in space. */
export interface Mesh {
  /** [batch, points, 3]: x, y, z. */
  readonly vertices: FloatTensor;
  /** [batch, triangles, 3]: indices of points. */
  readonly faces: { readonly shape: readonly number[]; readonly data: Uint32Array };
}

/** Vector drawings as SVG texts. */
export type Svg = string | { readonly data: readonly string[] };
