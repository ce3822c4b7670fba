import type { Digest, Host, LocatedFile } from '#core/host';
import { hubEndpoint, hubHeaders } from '#core/settings';
import { isImageWeights } from '../../formats/file-roles.ts';
import { parseParameters } from '../../manifest/layer-json.ts';
import type { ModelTexts } from '../../manifest/model-texts.ts';
import { ConnectionError, HttpStatusError, httpFile, statusError } from '../../transfer/http-file.ts';
import { networkErrorText } from '../../transfer/network-error-text.ts';
import { chooseDiffusers } from './choose-diffusers.ts';
import { chooseProjector, chooseWeights, withAllParts } from './choose-gguf.ts';
import { chooseOnnx } from './choose-onnx.ts';
import { chooseVoices } from './choose-voices.ts';
import { chooseWhisper } from './choose-whisper.ts';
import { type ModelSource, type Offer, SourceRefused } from './offer.ts';
import type { ChosenFile, RepositoryFile } from './repository-file.ts';

/** In bytes. Longer files called `template`, `system` or `params` are something else. */
const MAX_TEXT = 64 * 1024;

type HubHost = Pick<Host, 'network' | 'setting'>;

export interface HubReference {
  /** `user/repo` */
  repository: string;
  /** A branch, tag or commit. Default: `main`. */
  revision?: string;
  /** The path of the weights in the repository. Default: by `quant`, or the usual choice. */
  file?: string;
  quant?: string;
  /** Top-level folders that are left out. */
  without?: readonly string[];
  /**
   * Chooses the files of formats that this source does not know.
   * @throws SourceRefused
   */
  choose?(files: RepositoryFile[]): ChosenFile[];
}

/** The members of the hub's description of a repository that are used. */
interface ModelInfo {
  siblings?: { rfilename: string; size?: number; lfs?: { sha256?: string; oid?: string; size?: number } }[];
  cardData?: { license?: string | string[]; license_name?: string; license_link?: string };
  gated?: boolean | string;
}

/** A repository of the model hub with GGUF files, an ONNX model or an image model in the diffusers layout. */
export function hubSource(host: HubHost, model: HubReference): ModelSource {
  const repository = new HubRepository(host, model);
  return { name: repository.url, find: (signal) => repository.find(signal) };
}

class HubRepository {
  readonly url: string;
  readonly #endpoint: string;
  readonly #revision: string;
  readonly #headers: Record<string, string>;

  constructor(
    private readonly host: HubHost,
    private readonly model: HubReference,
  ) {
    this.#endpoint = hubEndpoint(host);
    this.url = `${this.#endpoint}/${model.repository}`;
    this.#revision = model.revision ?? 'main';
    this.#headers = hubHeaders(host);
  }

  async find(signal: AbortSignal): Promise<Offer | undefined> {
    const info = await this.#info(signal);
    if (!info) return undefined;
    const files = (info.siblings ?? [])
      .map(repositoryFile)
      .filter(({ path }) => !this.model.without?.includes(path.slice(0, path.indexOf('/'))));
    const chosen = this.model.choose ? this.model.choose(files) : chooseFiles(files, this.model);
    if (!chosen) throw noSuchFile(this.model, files);
    const licence = licenceOf(info);
    return {
      origin: `${this.url}/blob/${this.#revision}/${chosen[0]!.file.path}`,
      files: chosen.map((file) => this.#locate(file, licence)),
      texts: await this.#texts(files, signal),
      ...(licence ? { licence } : {}),
    };
  }

  /** Undefined: the repository does not exist. */
  async #info(signal: AbortSignal): Promise<ModelInfo | undefined> {
    const { repository, revision } = this.model;
    const at = revision ? `/revision/${encodeURIComponent(revision)}` : '';
    const url = `${this.#endpoint}/api/models/${repository}${at}?blobs=true`;
    const response = await this.#fetch(url, signal);
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    if (response.status === 401 || response.status === 403) {
      await response.body?.cancel();
      throw this.#accessRefused(response.status);
    }
    if (!response.ok) throw await statusError(response, url);
    return (await response.json()) as ModelInfo;
  }

  #fileUrl(path: string): string {
    const encodedPath = path.split('/').map(encodeURIComponent).join('/');
    return `${this.url}/resolve/${encodeURIComponent(this.#revision)}/${encodedPath}`;
  }

  #locate({ file, role, path }: ChosenFile, licence: string | undefined): LocatedFile {
    const located = httpFile(this.host.network, {
      role,
      ...file,
      name: file.path,
      url: this.#fileUrl(file.path),
      headers: this.#headers,
    });
    const { open } = located;
    const accessRefused = (status: number) => this.#accessRefused(status);
    return {
      ...located,
      ...(licence ? { licence } : {}),
      ...(path === undefined ? {} : { path }),
      async open(this: typeof located, offset: number, signal: AbortSignal) {
        try {
          return await open.call(this, offset, signal);
        } catch (error) {
          if (!(error instanceof HttpStatusError) || (error.status !== 401 && error.status !== 403))
            throw error;
          throw accessRefused(error.status);
        }
      },
    };
  }

  /** The texts of the model, which some repositories have as files `template`, `system` and `params`. */
  async #texts(files: RepositoryFile[], signal: AbortSignal): Promise<ModelTexts> {
    const template = await this.#readText(files, 'template', signal);
    const system = await this.#readText(files, 'system', signal);
    const parameters = await this.#readText(files, 'params', signal);
    return {
      licences: [],
      ...(template === undefined ? {} : { template }),
      ...(system === undefined ? {} : { system }),
      ...(parameters === undefined ? {} : parseParameters(parameters)),
    };
  }

  async #readText(files: RepositoryFile[], path: string, signal: AbortSignal): Promise<string | undefined> {
    const file = files.find((candidate) => candidate.path === path);
    if (!file || (file.size ?? 0) > MAX_TEXT) return undefined;
    const url = this.#fileUrl(path);
    const response = await this.#fetch(url, signal);
    if (!response.ok) throw await statusError(response, url);
    return await response.text();
  }

  async #fetch(url: string, signal: AbortSignal): Promise<Response> {
    try {
      return await this.host.network.fetch(url, { headers: this.#headers, signal, credentials: 'omit' });
    } catch (error) {
      signal.throwIfAborted();
      const text = networkErrorText('Get', url, error);
      throw new ConnectionError(`${text}; where the hub cannot be reached, HF_ENDPOINT can name a mirror`, {
        cause: error,
      });
    }
  }

  #accessRefused(status: number): SourceRefused {
    const next =
      'authorization' in this.#headers
        ? `accept its terms at ${this.url} with the account of HF_TOKEN, or check that token`
        : `if it exists, accept its terms at ${this.url} and set HF_TOKEN`;
    const { repository } = this.model;
    return new SourceRefused(`${repository} does not exist, or is private or gated (${status}): ${next}`);
  }
}

const isGguf = (path: string): boolean => /\.gguf$/i.test(path);

/** The files of the model, weights first. Undefined: the repository has no such model. */
function chooseFiles(files: RepositoryFile[], { file, quant }: HubReference): ChosenFile[] | undefined {
  const named = file === undefined ? undefined : files.find(({ path }) => path === file);
  const [weights, ...parts] =
    (file === undefined ? chooseWeights(files, quant) : named && withAllParts(named, files)) ?? [];
  if (!weights || /\.onnx$/i.test(weights.path)) {
    const images = file === undefined && quant === undefined ? chooseDiffusers(files) : undefined;
    const requested = { path: file, tag: quant };
    return (
      images ??
      chooseWhisper(files, requested) ??
      chooseVoices(files, requested) ??
      chooseOnnx(files, requested)
    );
  }
  if (isImageWeights(weights.path))
    return [{ role: 'weights', path: weights.path.slice(weights.path.lastIndexOf('/') + 1), file: weights }];
  const projector = file === undefined ? chooseProjector(files) : undefined;
  return [
    { role: 'weights', file: weights },
    ...parts.map((part) => ({ role: 'part' as const, file: part })),
    ...(projector ? [{ role: 'projector' as const, file: projector }] : []),
  ];
}

function noSuchFile({ repository, file, quant }: HubReference, files: RepositoryFile[]): SourceRefused {
  const isWanted = file !== undefined && isImageWeights(file) ? isImageWeights : isGguf;
  const present = files.map(({ path }) => path).filter(isWanted);
  if (present.length === 0) {
    return new SourceRefused(
      `${repository} holds no GGUF file, no ONNX model with its tokenizer.json and no image model in the diffusers ONNX layout, which is what can be run. To pull a .safetensors file of an image model, add its path: hf.co/${repository}/FILE.safetensors`,
    );
  }
  const requested = file ?? `file for ${quant}`;
  return new SourceRefused(`${repository} holds no ${requested}; it has ${present.slice(0, 20).join(', ')}`);
}

function repositoryFile(sibling: NonNullable<ModelInfo['siblings']>[number]): RepositoryFile {
  const hash = sibling.lfs?.sha256 ?? sibling.lfs?.oid;
  const size = sibling.lfs?.size ?? sibling.size;
  return {
    path: sibling.rfilename,
    ...(size === undefined ? {} : { size }),
    ...(hash && /^[0-9a-f]{64}$/.test(hash) ? { digest: `sha256:${hash}` as Digest } : {}),
  };
}

function licenceOf({ cardData }: ModelInfo): string | undefined {
  const licence = cardData?.license;
  const id = Array.isArray(licence) ? licence.join(', ') : licence;
  const name = id === 'other' ? (cardData?.license_name ?? id) : id;
  return name && cardData?.license_link ? `${name} (${cardData.license_link})` : name;
}
