import { encodePng } from '#core/image-codecs/png/encode.ts';
import { imageServer } from './image-server.ts';

/** Sends requests to the routes of an image server. Without a scheme and a host: a path and a query. */
export class RouteClient {
  readonly server: ReturnType<typeof imageServer>;
  constructor(options: Parameters<typeof imageServer>[0] = {}) {
    this.server = imageServer(options);
  }

  get files() {
    return this.server.host.files;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.server.ask('GET', path, undefined, headers);
  }

  // biome-ignore lint/suspicious/noExplicitAny: bodies of every kind
  async getJson(path: string): Promise<any> {
    return (await this.get(path)).json();
  }

  async getBytes(path: string): Promise<Uint8Array> {
    return new Uint8Array(await (await this.get(path)).arrayBuffer());
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.server.ask('POST', path, body, headers);
  }

  /** Uploads a file with further fields, by default to `/upload/image`. */
  upload(
    bytes: Uint8Array<ArrayBuffer>,
    name: string,
    fields: Record<string, string> = {},
    kind = 'image',
  ): Promise<Response> {
    const form = new FormData();
    form.append('image', new Blob([bytes]), name);
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    return this.post(`/upload/${kind}`, form);
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

/** A PNG file of one pixel: red is `red`, green 2, blue 3. */
export function pngPixel(red: number, alpha?: number): Uint8Array<ArrayBuffer> {
  const pixel = alpha === undefined ? [red, 2, 3] : [red, 2, 3, alpha];
  return encodePng({
    width: 1,
    height: 1,
    channels: alpha === undefined ? 3 : 4,
    data: Uint8Array.from(pixel),
  });
}

/** A graph that saves two images of one color under a prefix. */
export const savedImages = (filename_prefix: string, color = 1) => ({
  '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 2, color } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix } },
});
