/** The motion of a camera as rays through the pixels of each frame. */
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { choice, float, int, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

/** The directions of the camera's motion and the turns around its axes, in the units below. */
const POSES: Readonly<Record<string, { move: readonly number[]; roll: number }>> = {
  Static: { move: [0, 0, 0], roll: 0 },
  'Pan Up': { move: [0, -1, 0], roll: 0 },
  'Pan Down': { move: [0, 1, 0], roll: 0 },
  'Pan Left': { move: [-1, 0, 0], roll: 0 },
  'Pan Right': { move: [1, 0, 0], roll: 0 },
  'Zoom In': { move: [0, 0, 2], roll: 0 },
  'Zoom Out': { move: [0, 0, -2], roll: 0 },
  'Anti Clockwise (ACW)': { move: [0, 0, 0], roll: -1 },
  'ClockWise (CW)': { move: [0, 0, 0], roll: 1 },
};
/** The way and the turn of a whole video at speed 1. */
const [WAY, TURN] = [1.5, Math.PI / 3];
/** The proportions of the images for which the focal lengths count. */
const POSE_RATIO = 1280 / 720;
/** Frames that share one of the latent. */
const FRAMES = 4;
/** Numbers of a ray: moment and direction. */
const RAY = 6;

interface Lens {
  width: number;
  height: number;
  /** Focal lengths and center, in pixels. */
  fx: number;
  fy: number;
  cx: number;
  cy: number;
}

type Vector = [number, number, number];

/**
 * The Plücker coordinates of the ray through each pixel (He et al., "CameraCtrl", 2024, section 3.2).
 * @param roll of the camera in radians, and `origin` its place
 */
function rays({ width, height, fx, fy, cx, cy }: Lens, roll: number, [ox, oy, oz]: Vector): Float32Array {
  const result = new Float32Array(RAY * height * width);
  const size = height * width;
  const [cosine, sine] = [Math.cos(roll), Math.sin(roll)];
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const [x, y] = [(column + 0.5 - cx) / fx, (row + 0.5 - cy) / fy];
      const length = Math.hypot(x, y, 1);
      const [dx, dy, dz] = [(cosine * x - sine * y) / length, (sine * x + cosine * y) / length, 1 / length];
      const ray = [oy * dz - oz * dy, oz * dx - ox * dz, ox * dy - oy * dx, dx, dy, dz];
      for (const [at, value] of ray.entries()) result[at * size + row * width + column] = value;
    }
  return result;
}

/**
 * [1, 24, frames of the latent, height, width]: the four frames of a frame of the latent for each number of a ray. The
 * first frame fills a frame of the latent.
 */
function embedding(lens: Lens, length: number, poseAt: (frame: number) => [number, Vector]): FloatTensor {
  const frames = Math.floor((length + FRAMES - 1) / FRAMES);
  const result = zeros([1, FRAMES * RAY, frames, lens.height, lens.width]);
  const size = lens.height * lens.width;
  let last: { frame: number; values: Float32Array } | undefined;
  for (let at = 0; at < frames * FRAMES; at++) {
    const frame = Math.max(0, at - FRAMES + 1);
    if (last?.frame !== frame) last = { frame, values: rays(lens, ...poseAt(frame)) };
    for (let part = 0; part < RAY; part++)
      result.data.set(
        last.values.subarray(part * size, (part + 1) * size),
        ((part * FRAMES + (at % FRAMES)) * frames + Math.floor(at / FRAMES)) * size,
      );
  }
  return result;
}

const share = (step: number) => optional(float({ default: 0.5, min: 0, max: 1, step }));

const cameraEmbedding = node({
  name: 'WanCameraEmbedding',
  category: 'camera',
  module: 'comfy_extras.nodes_camera_trajectory',
  modern: true,
  description:
    'Describes the motion of a camera for WanCameraImageToVideo. fx, fy: focal lengths in shares of the image.',
  inputs: {
    camera_pose: choice(Object.keys(POSES), { default: 'Static', multiselect: false }),
    width: int({ default: 832, min: 16, max: 16384, step: 16 }),
    height: int({ default: 480, min: 16, max: 16384, step: 16 }),
    length: int({ default: 81, min: 1, max: 16384, step: 4 }),
    speed: optional(float({ default: 1.0, min: 0, max: 10.0, step: 0.1 })),
    fx: share(1e-9),
    fy: share(1e-9),
    cx: share(0.01),
    cy: share(0.01),
  },
  outputs: [
    output('WAN_CAMERA_EMBEDDING', 'camera_embedding'),
    output('INT', 'width'),
    output('INT', 'height'),
    output('INT', 'length'),
  ],
  run({ camera_pose, width, height, length, speed = 1, fx = 0.5, fy = 0.5, cx = 0.5, cy = 0.5 }) {
    const { move, roll } = POSES[camera_pose]!;
    // Images of other proportions are as if cut out of one with the usual ones.
    const isWider = POSE_RATIO > width / height;
    const lens: Lens = {
      width,
      height,
      fx: isWider ? height * POSE_RATIO * fx : fx * width,
      fy: isWider ? fy * height : (width / POSE_RATIO) * fy,
      cx: cx * width,
      cy: cy * height,
    };
    const pose = (frame: number): [number, Vector] => {
      const time = (frame / length) * speed;
      // Poses are those of the world as the camera sees it: the camera itself moves the other way.
      return [-time * TURN * roll, move.map((part) => -time * WAY * part) as Vector];
    };
    return [embedding(lens, length, pose), width, height, length];
  },
});

/** The nodes in the order of `/object_info`. */
export const wanCameraNodes: AnyNode[] = [cameraEmbedding];
