/** A server of image workflows over files on disk, with the runtime of Node and ffmpeg. */
import { graphsOf } from '#core/image-workflows/models/graphs/graph-registry.ts';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { mediaHost } from '#test/support/image-workflows/media-tools.ts';

export type ImageServer = ReturnType<typeof imageServer>;

export async function graphServer(): Promise<{
  server: ImageServer;
  home: string;
  /** Forgets results and models. */
  forget(): Promise<void>;
  close(): Promise<void>;
}> {
  const onnx = await onnxHost();
  const host = { ...onnx.host, ...mediaHost, imageCodecs: nodeCodecs };
  const server = imageServer({ host });
  return {
    server,
    home: onnx.home,
    async forget() {
      await server.ask('POST', '/free', { unload_models: true, free_memory: true });
      await graphsOf(host).unload();
    },
    async close() {
      await server.close();
      await onnx.remove();
    },
  };
}
