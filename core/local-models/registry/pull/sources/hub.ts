import type { Digest, Host, ModelFile } from '#core/host';
import { readParameters } from '../../manifest/layer-json.ts';
import type { ModelTexts } from '../../manifest/model-texts.ts';
import { ConnectionError, HttpStatusError, httpFile, statusError } from '../../transfer/http-file.ts';
import { networkErrorText } from '../../transfer/network-error.ts';
import { chooseDiffusers } from './choose-diffusers.ts';
import { chooseProjector, chooseWeights, type RepositoryFile } from './choose-gguf.ts';
import { chooseOnnx } from './choose-onnx.ts';
import { type Offer, type Source, SourceRefused } from './offer.ts';

const publicHub = 'https://huggingface.co';
const longestText = 64 * 1024;

type HubHost = Pick<Host, 'network' | 'setting'>;

export interface HubModel {
  /** `user/repo` */
  repository: string;
  /** A branch, tag or commit. */
  revision?: string;
  /** Path of the weights in the repository; otherwise `quant` or the usual choice. */
  file?: string;
  quant?: string;
  /** Folders at its top that are left out. */
  without?: readonly string[];
  /** Chooses of all files, in place of what the usual formats are made of. Throws SourceRefused. */
  choose?(files: RepositoryFile[]): Chosen[];
}

/** The listing of a repository, as far as it is used. */
interface ModelInfo {
  siblings?: { rfilename: string; size?: number; lfs?: { sha256?: string; oid?: string; size?: number } }[];
  cardData?: { license?: string | string[]; license_name?: string; license_link?: string };
  gated?: boolean | string;
}

/** The hub's address: `HF_ENDPOINT` or the public one, without a slash at the end. */
export function hubEndpoint(host: Pick<Host, 'setting'>): string {
  const set = host.setting('HF_ENDPOINT')?.trim();
  return (set || publicHub).replace(/\/+$/, '');
}

/** Repositories of the model hub: GGUF files, and ONNX models with their tokenizers. */
export function hubSource(host: HubHost, model: HubModel): Source {
  return { name: `${hubEndpoint(host)}/${model.repository}`, find: (signal) => find(host, model, signal) };
}

async function find(host: HubHost, model: HubModel, signal: AbortSignal): Promise<Offer | undefined> {
  const endpoint = hubEndpoint(host);
  const { repository } = model;
  const token = host.setting('HF_TOKEN')?.trim();
  // Sent to the hub's own address only: fetch drops it when a redirect leads to another origin.
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const revision = model.revision ?? 'main';
  const at = model.revision ? `/revision/${encodeURIComponent(model.revision)}` : '';
  const listing = `${endpoint}/api/models/${repository}${at}?blobs=true`;
  const answer = await ask(host, listing, headers, signal);
  if (answer.status === 404) {
    await answer.body?.cancel();
    return undefined;
  }
  if (answer.status === 401 || answer.status === 403) {
    await answer.body?.cancel();
    throw refusedAccess(endpoint, repository, answer.status, Boolean(token));
  }
  if (!answer.ok) throw await statusError(answer, listing);
  const info = (await answer.json()) as ModelInfo;
  const files = (info.siblings ?? [])
    .map(repositoryFile)
    .filter(({ path }) => !model.without?.includes(path.slice(0, path.indexOf('/'))));
  const chosen = model.choose ? model.choose(files) : chooseFiles(files, model);
  if (!chosen) {
    const there = files.filter((file) => /\.gguf$/i.test(file.path)).map((file) => file.path);
    if (there.length === 0) {
      throw new SourceRefused(
        `${repository} holds no GGUF file, no ONNX model with its tokenizer.json and no image model in the diffusers ONNX layout, which is what can be run`,
      );
    }
    const wanted = model.file ?? `file for ${model.quant}`;
    throw new SourceRefused(`${repository} holds no ${wanted}; it has ${there.slice(0, 20).join(', ')}`);
  }
  const licence = licenceOf(info);
  const resolve = (path: string) =>
    `${endpoint}/${repository}/resolve/${encodeURIComponent(revision)}/${path.split('/').map(encodeURIComponent).join('/')}`;
  const located = ({ file, role, path }: Chosen) => {
    const found = httpFile(host.network, {
      role,
      ...file,
      name: file.path,
      url: resolve(file.path),
      headers,
    });
    const open = found.open;
    return {
      ...found,
      ...(licence ? { licence } : {}),
      ...(path === undefined ? {} : { path }),
      async open(this: typeof found, offset: number, wanted: AbortSignal) {
        try {
          return await open.call(this, offset, wanted);
        } catch (error) {
          if (!(error instanceof HttpStatusError) || (error.status !== 401 && error.status !== 403))
            throw error;
          throw refusedAccess(endpoint, repository, error.status, Boolean(token));
        }
      },
    };
  };
  return {
    origin: `${endpoint}/${repository}/blob/${revision}/${chosen[0]!.file.path}`,
    files: chosen.map(located),
    texts: await texts(host, files, resolve, headers, signal),
    ...(licence ? { licence } : {}),
  };
}

export interface Chosen {
  role: ModelFile['role'];
  file: RepositoryFile;
  /** Where a model is to know its files by name. */
  path?: string;
}

/** The weights come first. */
function chooseFiles(files: RepositoryFile[], { file, quant }: HubModel): Chosen[] | undefined {
  const named = file === undefined ? undefined : files.find(({ path }) => path === file);
  const weights = file === undefined ? chooseWeights(files, quant) : named;
  if (!weights || /\.onnx$/i.test(weights.path)) {
    const images = file === undefined && quant === undefined ? chooseDiffusers(files) : undefined;
    return images ?? chooseOnnx(files, { path: file, tag: quant });
  }
  const projector = file === undefined ? chooseProjector(files) : undefined;
  return [
    { role: 'weights', file: weights },
    ...(projector ? [{ role: 'projector' as const, file: projector }] : []),
  ];
}

async function ask(
  host: HubHost,
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await host.network.fetch(url, { headers, signal, credentials: 'omit' });
  } catch (error) {
    signal.throwIfAborted();
    const text = networkErrorText('Get', url, error);
    throw new ConnectionError(`${text}; where the hub cannot be reached, HF_ENDPOINT can name a mirror`, {
      cause: error,
    });
  }
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

/** A repository may say how its model is to be used, in files called as the layers of a model are. */
async function texts(
  host: HubHost,
  files: RepositoryFile[],
  resolve: (path: string) => string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<ModelTexts> {
  const read = async (path: string): Promise<string | undefined> => {
    const listed = files.find((file) => file.path === path);
    if (!listed || (listed.size ?? 0) > longestText) return undefined;
    const answer = await ask(host, resolve(path), headers, signal);
    if (!answer.ok) throw await statusError(answer, resolve(path));
    return await answer.text();
  };
  const template = await read('template');
  const system = await read('system');
  const parameters = await read('params');
  return {
    licences: [],
    ...(template === undefined ? {} : { template }),
    ...(system === undefined ? {} : { system }),
    ...(parameters === undefined ? {} : readParameters(parameters)),
  };
}

function licenceOf({ cardData }: ModelInfo): string | undefined {
  const licence = cardData?.license;
  const id = Array.isArray(licence) ? licence.join(', ') : licence;
  const name = id === 'other' ? (cardData?.license_name ?? id) : id;
  return name && cardData?.license_link ? `${name} (${cardData.license_link})` : name;
}

function refusedAccess(
  endpoint: string,
  repository: string,
  status: number,
  hasToken: boolean,
): SourceRefused {
  const next = hasToken
    ? `accept its terms at ${endpoint}/${repository} with the account of HF_TOKEN, or check that token`
    : `if it exists, accept its terms at ${endpoint}/${repository} and set HF_TOKEN`;
  return new SourceRefused(`${repository} does not exist, or is private or gated (${status}): ${next}`);
}
