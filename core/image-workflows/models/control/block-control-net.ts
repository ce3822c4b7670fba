/** Control nets of DiffSynth for Qwen-Image, whose layers lie between the blocks of the network. */
import type { Host } from '#core/host';
import { broadcastMask } from '../../images/noise-mask.ts';
import { imageRaster, rasterAt, rasterToImage, withChannels } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { concatAlong, concatChannels, repeatBatch, toBatch } from '../../values/batches.ts';
import type { BlockControlHint, BlockControlNet } from '../../values/block-control.ts';
import { scaleLatent } from '../../values/latent-scaling.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { DiffusionNetwork } from '../../values/network.ts';
import { type FloatTensor, full } from '../../values/tensor.ts';
import { BLOCK_CONTROL, blockControlInputs } from '../families/qwen-image/block-control.ts';
import { qwenImageGraph } from '../families/qwen-image/qwen-image-graph.ts';
import { qwenImageLayout } from '../families/qwen-image/qwen-image-layout.ts';
import { feed, requireSlot } from '../graphs/session-tensors.ts';
import { withChangedWeights } from '../networks/changed-weights.ts';
import { type NetworkInput, type NetworkLayout, onnxNetwork } from '../networks/onnx-network.ts';
import { PATCH_SIZE, packTokens, padToEven } from '../networks/packed-tokens.ts';
import { WAN_LATENTS } from '../networks/wan-latents.ts';
import { jointGraph } from '../weight-files/joint-graph.ts';
import type { WeightFile } from '../weight-files/read-weight-file.ts';
import { renamed, type WeightTable } from '../weight-files/weight-table.ts';

export const isBlockControl = (table: WeightTable): boolean => table.has('controlnet_blocks.0.y_rms.weight');

/** The hints of networks that have such nets already, in the order of the nets. */
const hintsOf = new WeakMap<DiffusionNetwork, readonly NetHint[]>();

/** @param file one with `isBlockControl` */
export function blockControlNet(host: Host, file: WeightFile): BlockControlNet {
  const features = file.table.get('img_in.weight')?.shape[1] ?? 0;
  return {
    async control(network, hint, signal) {
      if (!network.graph) throw new TypeError(`${file.name} needs a model whose weights can be read`);
      const hints = hintsOf.get(network) ?? [];
      const joint = await jointGraph(host, {
        kind: 'a control net of Qwen-Image',
        file,
        own: renamed(file.table, (name) => `${BLOCK_CONTROL}.${hints.length}.${name}`),
        base: network.graph,
        mark: 'txt_norm.weight',
        build: qwenImageGraph,
      });
      const all = [...hints, new NetHint(hint, features / PATCH_SIZE ** 2)];
      let result = hintedNetwork(await withChangedWeights(joint, network.graph), all);
      for (const patch of network.patches ?? []) result = await result.withPatch!(patch, signal);
      return result;
    },
  };
}

/** A hint for one net. Its image is encoded once for each size of latents. */
class NetHint {
  readonly #tokens = new Map<string, FloatTensor>();

  /** @param channels of the tokens, those of masks included */
  constructor(
    readonly hint: BlockControlHint,
    private readonly channels: number,
  ) {}

  /** Rejects as encoding does, and with a `TypeError` for an autoencoder that does not fit. */
  async prepare({ shape }: FloatTensor, signal: AbortSignal): Promise<void> {
    const [height = 1, width = 1] = shape.slice(-2);
    const key = `${height} ${width}`;
    if (this.#tokens.has(key)) return;
    const { vae, image, mask } = this.hint;
    const raster = withChannels(imageRaster(image), 3);
    const sized = resize(raster, width * vae.scale, height * vae.scale, 'area', 'center');
    // Several images would be the frames of a video.
    let latents: FloatTensor | undefined;
    for (let index = 0; index < sized.batch; index++) {
      const encoded = await vae.encode(rasterToImage(rasterAt(sized, index)), signal);
      latents = latents ? concatAlong(0, latents, encoded) : encoded;
    }
    const scaled = scaleLatent(latents!, WAN_LATENTS);
    const [batch = 1, channels = 1, ...sides] = scaled.shape;
    if (this.channels < channels)
      throw new TypeError(
        `the control net takes latents of ${this.channels} channels, and the autoencoder gives ${channels}: use that of Qwen-Image`,
      );
    const more = [batch, this.channels - channels, ...sides];
    const unchanged = mask && { shape: mask.shape, data: mask.data.map((value) => 1 - value) };
    const all =
      this.channels === channels
        ? scaled
        : concatChannels(scaled, unchanged ? broadcastMask(unchanged, more) : full(more, 1));
    this.#tokens.set(key, packTokens(padToEven(all)));
  }

  /** The tokens for latents for which the hint is prepared: [prompts · batch, tokens, features]. */
  tokens({ x, prompts }: NetworkInput): FloatTensor {
    const tokens = this.#tokens.get(x.shape.slice(-2).join(' '))!;
    return tokens.shape[0] === 1 ? tokens : repeatBatch(toBatch([tokens], x.shape[0]!), prompts.length);
  }
}

function hintedNetwork(graph: ModelGraph, hints: readonly NetHint[]): DiffusionNetwork {
  const layout: NetworkLayout = {
    ...qwenImageLayout,
    feeds(input) {
      const own = hints.flatMap((each, net): [string, FloatTensor][] => {
        const [tokens, strength] = blockControlInputs(net);
        return [
          [tokens, each.tokens(input)],
          [strength, full([1], each.hint.strength)],
        ];
      });
      const feeds = own.map(([name, values]) => [name, feed(requireSlot(input.session, name), values)]);
      return { ...qwenImageLayout.feeds(input), ...Object.fromEntries(feeds) };
    },
  };
  const prepared = (network: DiffusionNetwork): DiffusionNetwork => {
    const result: DiffusionNetwork = {
      ...network,
      async predict(x, timestep, prompts, signal) {
        for (const hint of hints) await hint.prepare(x, signal);
        return network.predict(x, timestep, prompts, signal);
      },
      withGraph: (other) => prepared(network.withGraph!(other)),
      withPatch: async (patch, signal) => prepared(await network.withPatch!(patch, signal)),
      withAdapter: async (adapter, strength) => prepared(await network.withAdapter!(adapter, strength)),
    };
    hintsOf.set(result, hints);
    return result;
  };
  return prepared(onnxNetwork(graph, layout));
}
