import { WAN_LATENTS } from '../../models/networks/wan-latents.ts';
import { concatAlong, repeatBatch } from '../../values/batches.ts';
import { scaleLatent, unscaleLatent } from '../../values/latent-scaling.ts';
import { zeros } from '../../values/tensor.ts';
import { float, int, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';
import { bothPrompts, encodeFrames, framesOf, inGrayVideo } from './given-frames.ts';
import { moveAlongTracks, readTracks } from './motion-tracks.ts';
import { fromFirstFrames } from './wan.ts';
import { latentShape, seen, shared, sizes, withBoth } from './wan-inputs.ts';

const trackToVideo = node({
  ...shared,
  name: 'WanTrackToVideo',
  description:
    'Moves points of the first frame along tracks, for models of the kind ATI. tracks: lists of points in pixels, one for each 24th of a second. Without tracks, as WanImageToVideo.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    tracks: string({ default: '[]', multiline: true }),
    ...sizes(),
    temperature: float({ default: 220.0, min: 1.0, max: 1000.0, step: 0.1 }),
    topk: int({ default: 2, min: 1, max: 10 }),
    start_image: link('IMAGE'),
    clip_vision_output: seen(),
  },
  async run({ tracks, temperature, topk, ...values }, { signal }) {
    const list = readTracks(tracks);
    if (list.length === 0) return fromFirstFrames(values, signal);
    const { vae, batch_size, start_image, clip_vision_output, ...size } = values;
    const first = framesOf(start_image, { ...size, length: 1 });
    const encoded = await encodeFrames(vae, inGrayVideo(size, first), signal);
    // Features are mixed in the scale of the network.
    const scaled = scaleLatent(encoded, WAN_LATENTS);
    const { video, shares } = moveAlongTracks(scaled, list, { ...size, temperature, most: topk });
    const unchanged = { shape: shares.shape, data: shares.data.map((share) => 1 - share) };
    const pair = concatAlong(1, unchanged, unchanged);
    const options = {
      inpainting: { latent: unscaleLatent(video, WAN_LATENTS), mask: concatAlong(1, pair, pair) },
      ...(clip_vision_output && { vision: clip_vision_output }),
    };
    const samples = repeatBatch(zeros([1, ...latentShape(size, 16, 8)]), batch_size);
    return [...withBoth(values, options), { samples }];
  },
});

/** The nodes in the order of `/object_info`. */
export const wanTrackNodes: AnyNode[] = [trackToVideo];
