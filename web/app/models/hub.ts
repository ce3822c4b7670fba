export interface HubModel {
  /** `user/repo` */
  id: string;
  downloads: number;
  likes: number;
  licence?: string;
  /** Whether the user has to accept its terms on the hub first. */
  gated: boolean;
}

export interface HubFile {
  path: string;
  /** Size in bytes. */
  size: number;
  /** The quantization, such as `Q4_K_M`, when the file name states it. */
  quantization?: string;
}

const PUBLIC_HUB = 'https://huggingface.co';
const MAX_RESULTS = 20;

type HubFetch = (url: string, init: RequestInit) => Promise<Response>;

/** A client of a Hugging Face hub. It sends requests only for `search` and `files`. */
export class HubClient {
  readonly endpoint: string;

  constructor(
    settings: Record<string, string>,
    private readonly send: HubFetch = (url, init) => fetch(url, init),
  ) {
    this.endpoint = (settings.HF_ENDPOINT?.trim() || PUBLIC_HUB).replace(/\/+$/, '');
    const token = settings.HF_TOKEN?.trim();
    this.#headers = token ? { authorization: `Bearer ${token}` } : {};
  }

  readonly #headers: Record<string, string>;

  /** The host to show, such as `huggingface.co`. */
  get name(): string {
    return new URL(this.endpoint).host;
  }

  /** Finds repositories with GGUF files, the most downloaded first. */
  async search(words: string, signal: AbortSignal): Promise<HubModel[]> {
    const query = new URLSearchParams({
      search: words,
      filter: 'gguf',
      sort: 'downloads',
      direction: '-1',
      limit: String(MAX_RESULTS),
    });
    const found = (await this.#json(`/api/models?${query}`, signal)) as Record<string, unknown>[];
    return found.flatMap(({ id, downloads, likes, tags, gated }) =>
      typeof id !== 'string'
        ? []
        : {
            id,
            downloads: Number(downloads) || 0,
            likes: Number(likes) || 0,
            ...licenceFromTags(tags),
            gated: Boolean(gated),
          },
    );
  }

  /** The GGUF files of a repository that can run, the smallest first. Leaves out projectors and split files. */
  async files(id: string, signal: AbortSignal): Promise<HubFile[]> {
    const { siblings = [] } = (await this.#json(`/api/models/${id}?blobs=true`, signal)) as {
      siblings?: { rfilename: string; size?: number }[];
    };
    return siblings
      .filter(({ rfilename }) => /\.gguf$/i.test(rfilename) && !/mmproj|-\d{5}-of-\d{5}/i.test(rfilename))
      .map(({ rfilename, size = 0 }) => {
        const quantization = /[.-]((?:i?q\d|f16|f32|bf16)[a-z0-9_]*)\.gguf$/i.exec(rfilename)?.[1];
        return { path: rfilename, size, ...(quantization && { quantization: quantization.toUpperCase() }) };
      })
      .sort((a, b) => a.size - b.size);
  }

  async #json(path: string, signal: AbortSignal): Promise<unknown> {
    const url = `${this.endpoint}${path}`;
    let response: Response;
    try {
      response = await this.send(url, { signal, headers: this.#headers, credentials: 'omit' });
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`${this.name} could not be reached: ${(error as Error).message}`);
    }
    if (!response.ok) throw new Error(`${this.name} answered ${response.status} to ${path}`);
    return response.json();
  }
}

/** The model name with which the server pulls a file of a repository. */
export function pullName(id: string, { path, quantization }: HubFile): string {
  return `hf.co/${id}:${quantization ?? path.split('/').at(-1)}`;
}

function licenceFromTags(tags: unknown): { licence?: string } {
  const tag = Array.isArray(tags) ? tags.find((tag) => String(tag).startsWith('license:')) : undefined;
  return tag === undefined ? {} : { licence: String(tag).slice('license:'.length) };
}
