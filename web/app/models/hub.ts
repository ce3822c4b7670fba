import { partNames, withoutPartNumber } from '#core/base';
import { commonStrings } from '../strings/common.ts';

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

/** A file of a repository, as the hub lists it. */
interface Sibling {
  rfilename: string;
  size?: number;
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

  /** The GGUF files of a repository that can run, the smallest first. A file in parts counts as one. Leaves out projectors. */
  async files(id: string, signal: AbortSignal): Promise<HubFile[]> {
    const { siblings = [] } = (await this.#json(`/api/models/${id}?blobs=true`, signal)) as {
      siblings?: Sibling[];
    };
    const runnable = siblings.filter(
      ({ rfilename }) => /\.gguf$/i.test(rfilename) && !/mmproj/i.test(rfilename),
    );
    return joinParts(runnable)
      .map(({ path, size }) => {
        const quantization = /[.-]((?:i?q\d|f16|f32|bf16)[a-z0-9_]*)\.gguf$/i.exec(path)?.[1];
        return { path, size, ...(quantization && { quantization: quantization.toUpperCase() }) };
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
      throw new Error(commonStrings.failures.unreachable(this.name, (error as Error).message));
    }
    if (!response.ok) throw new Error(commonStrings.failures.status(this.name, response.status));
    return response.json();
  }
}

/** The files of a repository, with one for all parts of each split file. Leaves out those of which parts are missing. */
function joinParts(siblings: readonly Sibling[]): HubFile[] {
  const files = new Map<string, HubFile & { missing: number }>();
  for (const { rfilename, size = 0 } of siblings) {
    const path = withoutPartNumber(rfilename);
    const file = files.get(path) ?? { path, size: 0, missing: partNames(rfilename).length };
    files.set(path, { path, size: file.size + size, missing: file.missing - 1 });
  }
  return [...files.values()].flatMap(({ missing, ...file }) => (missing === 0 ? file : []));
}

/** The model name with which the server pulls a file of a repository. */
export function pullName(id: string, { path, quantization }: HubFile): string {
  return `hf.co/${id}:${quantization ?? path.split('/').at(-1)}`;
}

function licenceFromTags(tags: unknown): { licence?: string } {
  const tag = Array.isArray(tags) ? tags.find((tag) => String(tag).startsWith('license:')) : undefined;
  return tag === undefined ? {} : { licence: String(tag).slice('license:'.length) };
}
